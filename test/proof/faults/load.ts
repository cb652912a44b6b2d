/** Clients that go on through failures as a careful integrator's do, and write down what they were told. */
import { expect } from 'bun:test';
import { connect } from '../../support/database.ts';
import { caller } from '../../support/firm.ts';
import { type Asked, openAsked } from './asking.ts';

export type Load = Pick<Asked, 'broken' | 'statuses' | 'slowestMilliseconds'> & {
  /** Ids of leads by the Idempotency-Key under which they were acknowledged. */
  acknowledged: Map<string, string>;
  /** Takes no new work; repeats until every lead begun is acknowledged. */
  finish(): Promise<void>;
};

/**
 * Starts clients that create leads, each under a key it repeats until it is answered, and read
 * them. `mayDrop`: whether the server may be gone when it is asked.
 */
export const startLoad = (
  url: string,
  key: string,
  clients = 8,
  options: { mayDrop: boolean } = { mayDrop: false },
): Load => {
  const { ask, broken, statuses, slowestMilliseconds } = openAsked(options);
  const acknowledged = new Map<string, string>();
  const { get, post } = caller(url, key);
  let isFinishing = false;

  const createOne = async () => {
    const idempotencyKey = Bun.randomUUIDv7();
    const until = performance.now() + 120_000;
    for (let attempt = 1; performance.now() < until; attempt += 1) {
      const answer = await ask(
        () =>
          post(
            '/v1/leads',
            { lastName: `Prospect ${idempotencyKey}` },
            { 'idempotency-key': idempotencyKey },
          ),
        attempt > 1,
      );
      if (answer) return void acknowledged.set(idempotencyKey, answer.body.data.id);
    }
    broken.push('a lead was never acknowledged');
  };

  const readOne = async () => {
    const ids = [...acknowledged.values()];
    const id = ids[Math.floor(Math.random() * ids.length)];
    await ask(() => get(id ? `/v1/leads/${id}` : '/v1/leads?limit=5'), false);
  };

  const run = async () => {
    while (!isFinishing) {
      await createOne();
      await readOne();
      await readOne();
    }
  };
  const running = Promise.all(Array.from({ length: clients }, run));
  return {
    broken,
    statuses,
    acknowledged,
    slowestMilliseconds,
    async finish() {
      isFinishing = true;
      await running;
    },
  };
};

/** Asks until it is answered 200; gives the milliseconds that took. */
export const untilAnswered = async (url: string, key: string): Promise<number> => {
  const since = performance.now();
  const { get } = caller(url, key);
  while ((await get('/v1/leads?limit=1')).status !== 200) await Bun.sleep(20);
  return Math.round(performance.now() - since);
};

/** Expects of a firm whose leads all came from `load` that each was made once, and whole. */
export const expectWhole = async (databaseUrl: string, firmId: string, load: Load) => {
  const database = connect(databaseUrl);
  const stored = await database`select id from lead where firm_id = ${firmId}`;
  const ids = new Set(stored.map(({ id }) => id));
  const found: Record<string, unknown> = {
    broken: load.broken,
    lost: [...load.acknowledged.values()].filter((id) => !ids.has(id)),
    leads: stored.length,
    ...(await wholeness(database, firmId)),
  };
  await database.end();
  const leads = load.acknowledged.size;
  expect(leads).toBeGreaterThan(0);
  expect(found).toEqual({
    broken: [],
    lost: [],
    leads,
    withoutContact: 0,
    contactsAlone: 0,
    auditedRequests: leads,
    auditedOtherwise: 0,
    withoutCreation: 0,
    unannounced: 0,
    keys: leads,
    keysWithoutAnswer: 0,
    lastNumber: leads,
    live: leads,
    liveContacts: leads,
  });
};

const wholeness = async (database: ReturnType<typeof connect>, firmId: string) => {
  const [counts] = await database`
    with mine as (select * from lead where firm_id = ${firmId}),
      entry as (select * from audit_entry where firm_id = ${firmId}
        and record_kind in ('lead', 'contact')),
      request as (select count(*) as entries, count(distinct record_id) as records,
        bool_and(action = 'create') as creates from entry group by request_id)
    select
      (select count(*)::int from mine where not exists (
        select from contact where contact.firm_id = mine.firm_id and contact.id = mine.contact_id
      )) as "withoutContact",
      (select count(*)::int from contact where firm_id = ${firmId} and not exists (
        select from mine where mine.contact_id = contact.id)) as "contactsAlone",
      (select count(*)::int from request) as "auditedRequests",
      (select count(*)::int from request
        where entries <> 2 or records <> 2 or not creates) as "auditedOtherwise",
      (select count(*)::int from mine where (
        select count(*) from entry where entry.record_id in (mine.id, mine.contact_id)
      ) <> 2) as "withoutCreation",
      (select count(*)::int from mine where not exists (
        select from job where job.firm_id = mine.firm_id and job.ref = mine.id
      ) and not exists (
        select from notification where notification.firm_id = mine.firm_id
          and notification.record_id = mine.id)) as unannounced,
      (select count(*)::int from idempotency where firm_id = ${firmId}) as keys,
      (select count(*)::int from idempotency
        where firm_id = ${firmId} and answer is null) as "keysWithoutAnswer",
      (select last_number::int from register
        where firm_id = ${firmId} and kind = 'lead') as "lastNumber",
      (select live from register where firm_id = ${firmId} and kind = 'lead') as live,
      (select live from register where firm_id = ${firmId} and kind = 'contact') as "liveContacts"`;
  return counts;
};

/** Expects that within 15 s no more connections stand than the pool may hold, and none holds a transaction. */
export const expectNoneLeft = async (databaseUrl: string, size: number) => {
  const database = connect(databaseUrl);
  const until = performance.now() + 15_000;
  for (;;) {
    const [now] = await database`
      select count(*)::int as connections,
        count(*) filter (where state like 'idle in transaction%')::int as "inTransaction"
      from pg_stat_activity
      where datname = current_database() and application_name = 'matterhorn'`;
    if (now?.connections <= size && now?.inTransaction === 0) break;
    if (performance.now() > until) throw new Error(`left behind: ${JSON.stringify(now)}`);
    await Bun.sleep(100);
  }
  await database.end();
};

/** Collects errors that nobody else catches while these tests run. */
export const watchUnlooked = () => {
  const unlooked: unknown[] = [];
  process.on('unhandledRejection', (error) => unlooked.push(error));
  process.on('uncaughtException', (error) => unlooked.push(error));
  return unlooked;
};
