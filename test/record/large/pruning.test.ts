import { afterAll, describe, expect, test } from 'bun:test';
import { readSettings } from '../../../src/config.ts';
import { deadLetterPruning } from '../../../src/jobs/dead-letters.ts';
import { notificationPruning } from '../../../src/notifications/pruning.ts';
import { openDatabase } from '../../../src/postgres/pool.ts';
import { answerPruning } from '../../../src/record/pruning.ts';
import { signInPruning } from '../../../src/sign-in/pruning.ts';
import { connect, moveClock, ownDatabase } from '../../support/database.ts';
import { expectRefusal, totalOf } from '../../support/expectations.ts';
import { caller, comingAgain, makeFirm, owner, startTestServer } from '../../support/firm.ts';
import { untilItDoes } from '../../support/until.ts';

const hour = 60 * 60;
const day = 24 * hour;

const place = async () => {
  const databaseUrl = await ownDatabase();
  const sql = connect(databaseUrl);
  const database = openDatabase(readSettings({ DATABASE_URL: databaseUrl }).database ?? '', 3);
  afterAll(async () => {
    await database.close();
    await sql.end();
  });
  const firm = await makeFirm({ url: '', databaseUrl });
  const count = async (table: string, where = 'true') =>
    (await sql.unsafe(`select count(*)::int as count from ${table} where ${where}`))[0]?.count;
  /** Runs the job once, as the runner does; says whether there is more. */
  const once = async (kind: typeof answerPruning) => {
    let more = false;
    await database.transaction((transaction) =>
      kind.work(undefined, transaction, () => {
        more = true;
      }),
    );
    return more;
  };
  return { databaseUrl, sql, firm, count, once };
};

type Place = Awaited<ReturnType<typeof place>>;

const addAnswers = ({ sql, firm }: Place, count: number, ageSeconds: number) =>
  sql`insert into idempotency
    select ${firm.id}, ${firm.owner.keyId}, ${ageSeconds} || ' ' || n, 'print', '{}',
      moment() - make_interval(secs => ${ageSeconds}) from generate_series(1, ${count}::int) n`;

const addNotices = (
  { sql, firm }: Place,
  kind: string,
  count: number,
  raised: string,
  read: string | null,
) =>
  sql`insert into notification (firm_id, member_id, kind, cause, title, text, created_at, raised_at, read_at)
    select ${firm.id}, ${firm.members[owner] ?? ''}, ${kind}, ${raised} || coalesce(${read}, '') || n, 'T', 'T',
      moment() - ${raised}::interval, moment() - ${raised}::interval, moment() - ${read}::interval
    from generate_series(1, ${count}::int) n`;

const addDead = ({ sql, firm }: Place, count: number, ageDays: number) =>
  sql`insert into job (firm_id, kind, dedupe_key, payload, run_at, dead_at)
    select ${firm.id}, 'dead', ${ageDays} || ' ' || n, '{}', moment(), moment() - make_interval(days => ${ageDays})
    from generate_series(1, ${count}::int) n`;

describe('Pruning', () => {
  test('removes sessions and links 90 days after their end, and what is kept of callers for a day', async () => {
    const here = await place();
    const memberId = here.firm.members[owner] ?? '';
    const add = async (age: string, count: number) => {
      await here.sql`insert into session (firm_id, id, member_id, digest, signed_in_with, address,
          browser, created_at, seen_at)
        select ${here.firm.id}, gen_random_uuid(), ${memberId}, sha256((${age} || n)::bytea),
          'password', '', '', moment() - ${age}::interval, moment() - ${age}::interval
        from generate_series(1, ${count}::int) n`;
      await here.sql`insert into sign_in_link (firm_id, id, member_id, digest, purpose, created_at, expires_at)
        select ${here.firm.id}, gen_random_uuid(), ${memberId}, sha256((${age} || n)::bytea),
          'INVITE', moment() - ${age}::interval, moment() - ${age}::interval
        from generate_series(1, ${count}::int) n`;
      await here.sql`insert into rate_bucket (firm_id, key_id, arrival_at, granted)
        select ${here.firm.id}, gen_random_uuid(), moment() - ${age}::interval, 1
        from generate_series(1, ${count}::int) n`;
    };
    await here.sql`delete from rate_bucket`;
    await add('91 days', 3);
    await add('89 days', 2);
    await add('1 hour', 2);
    expect(await here.once(signInPruning)).toBe(false);
    expect([
      await here.count('session'),
      await here.count('sign_in_link'),
      await here.count('rate_bucket'),
    ]).toEqual([4, 4, 2]);
    await add('100 days', 501);
    expect(await here.once(signInPruning)).toBe(true);
    expect(await here.once(signInPruning)).toBe(false);
    expect(await here.count('session')).toBe(4);
  });

  test('removes answers under an Idempotency-Key after 7 days, and none before', async () => {
    const here = await place();
    await addAnswers(here, 3, 7 * day + 5);
    await addAnswers(here, 4, 7 * day - 60);
    expect(await here.once(answerPruning)).toBe(false);
    expect(await here.count('idempotency')).toBe(4);
    await moveClock(here.databaseUrl, 61);
    await here.once(answerPruning);
    expect(await here.count('idempotency')).toBe(0);
  });

  test('removes notifications a year after they were read; unread ones stay', async () => {
    const here = await place();
    await addNotices(here, 'matter.added', 3, '400 days', '366 days');
    await addNotices(here, 'matter.added', 4, '400 days', '360 days');
    await addNotices(here, 'matter.added', 5, '800 days', null);
    await addNotices(here, 'lead.new', 2, '367 days', null);
    await here.sql`update notification set replaced_by_id = 1 where kind = 'lead.new'`;
    expect(await here.once(notificationPruning)).toBe(false);
    expect(await here.count('notification', 'read_at is null')).toBe(5);
    expect(await here.count('notification', 'read_at is not null')).toBe(4);
    expect(await here.count('notification', 'replaced_by_id is not null')).toBe(0);
  });

  test('removes dead letters after 30 days; waiting jobs stay, however old', async () => {
    const here = await place();
    await addDead(here, 3, 31);
    await addDead(here, 4, 29);
    await addDead(here, 2, 60);
    await here.sql`update job set dead_at = null, run_at = moment() - interval '60 days'
      where dedupe_key like '60 %'`;
    expect(await here.once(deadLetterPruning)).toBe(false);
    expect(await here.count('job', 'dead_at is not null')).toBe(4);
    expect(await here.count('job', 'dead_at is null')).toBe(2);
  });

  test('takes at most 500 rows a transaction, and comes again at once while there are more', async () => {
    const here = await place();
    await addAnswers(here, 1_200, 8 * day);
    await addNotices(here, 'matter.added', 1_200, '800 days', '700 days');
    await addDead(here, 1_200, 40);
    for (const [kind, table] of [
      [answerPruning, 'idempotency'],
      [notificationPruning, 'notification'],
      [deadLetterPruning, 'job'],
    ] as const) {
      for (const left of [700, 200, 0]) {
        expect(await here.once(kind)).toBe(left > 0);
        expect(await here.count(table)).toBe(left);
      }
      expect(await here.once(kind)).toBe(false);
    }
  });

  test('is done by the server itself, also after it was away for long, and touches nothing else', async () => {
    const here = await place();
    const server = await startTestServer({ databaseUrl: here.databaseUrl });
    const firm = await makeFirm(server);
    await firm.owner.post('/v1/contacts', { lastName: 'Quill' }, { 'idempotency-key': 'one' });
    await addAnswers(here, 700, 1);
    await addDead(here, 700, 1);
    await addNotices(here, 'matter.added', 700, '20 days', '10 days');
    const kept = async () => [
      await here.count('audit_entry'),
      await totalOf(firm.owner.get('/v1/contacts')),
    ];
    const before = await kept();
    const { keyId } = await firm.callerOf(owner, ['contacts:read'], ['--expires', 'never']);
    expect(keyId).not.toBe('');
    await here.sql`update api_key set expires_at = null`;
    await moveClock(here.databaseUrl, 366 * day);
    const left = async () =>
      (await here.count('idempotency')) +
      (await here.count('notification')) +
      (await here.count('job', 'dead_at is not null'));
    await untilItDoes(async () => (await left()) === 0);
    expect(await left()).toBe(0);
    expect(await kept()).toEqual([(before[0] ?? 0) + 1, before[1] ?? 0]);
    await server.stop();
  });
});

describe('An Idempotency-Key after 7 days', () => {
  const key = { 'idempotency-key': 'one' };

  /** A firm with one answer under the key, `ageSeconds` old and not pruned. */
  const aged = async (ageSeconds: number) => {
    const databaseUrl = await ownDatabase();
    const [server, other] = [
      await startTestServer({ databaseUrl }),
      await startTestServer({ databaseUrl }),
    ];
    const firm = await makeFirm(server);
    const first = await firm.owner.post('/v1/leads', { lastName: 'Quill' }, key);
    const sql = connect(databaseUrl);
    afterAll(() => sql.end());
    await sql`update idempotency set created_at = created_at - make_interval(secs => ${ageSeconds})`;
    return { firm, there: caller(other.url, firm.owner.key), first, sql };
  };

  test('is free again, though nothing was pruned: the same request is done again, and its repeats answered', async () => {
    const { firm, first, sql } = await aged(7 * day + 1);
    const second = await firm.owner.post('/v1/leads', { lastName: 'Quill' }, key);
    expect(second.status).toBe(201);
    expect(second.headers.has('idempotent-replayed')).toBe(false);
    expect(second.body.data.id).not.toBe(first.body.data.id);
    const repeat = await firm.owner.post('/v1/leads', { lastName: 'Quill' }, key);
    expect(repeat.headers.get('idempotent-replayed')).toBe('true');
    expect(repeat.body).toEqual(second.body);
    expect(await totalOf(firm.owner.get('/v1/leads'))).toBe(2);
    const [row] =
      await sql`select moment() - created_at < interval '1 minute' as "isNew" from idempotency`;
    expect(row?.isNew).toBe(true);
  });

  test('may carry another request', async () => {
    const { firm } = await aged(7 * day + 1);
    const other = await firm.owner.post('/v1/contacts', { lastName: 'Vane' }, key);
    expect(other.status).toBe(201);
    const first = await firm.owner.post('/v1/leads', { lastName: 'Quill' }, key);
    expectRefusal(first, 409, 'conflict', 'Idempotency-Key');
  });

  test('is not free a minute before', async () => {
    const { firm, first } = await aged(7 * day - 60);
    const repeat = await firm.owner.post('/v1/leads', { lastName: 'Quill' }, key);
    expect(repeat.headers.get('idempotent-replayed')).toBe('true');
    expect(repeat.body).toEqual(first.body);
  });

  test('20 concurrent repeats on two instances make one record more', async () => {
    const { firm, there, first } = await aged(7 * day + 1);
    const answers = await Promise.all(
      Array.from({ length: 20 }, (_, index) =>
        (index % 2 ? there : firm.owner).post('/v1/leads', { lastName: 'Quill' }, key),
      ),
    );
    expect(answers.map(({ status }) => status)).toEqual(Array(20).fill(201));
    const ids = new Set(answers.map(({ body }) => body.data.id));
    expect(ids.size).toBe(1);
    expect(ids.has(first.body.data.id)).toBe(false);
    expect(answers.filter(({ headers }) => !headers.has('idempotent-replayed'))).toHaveLength(1);
    expect(await totalOf(firm.owner.get('/v1/leads'))).toBe(2);
  });

  test('that is refused leaves the old answer to be pruned, and the key free', async () => {
    const { firm } = await aged(7 * day + 1);
    const refused = await firm.owner.post('/v1/leads', { lastName: '' }, key);
    expect(refused.status).toBe(400);
    const done = await firm.owner.post('/v1/leads', { lastName: 'Vane' }, key);
    expect(done.status).toBe(201);
    expect(done.headers.has('idempotent-replayed')).toBe(false);
  });

  test('repeats while old answers are pruned are neither lost nor doubled', async () => {
    const { firm, sql } = await aged(7 * day + 1);
    for (let round = 0; round < 10; round += 1) {
      await sql`update idempotency set created_at = created_at - interval '169 hours'`;
      const before = await totalOf(firm.owner.get('/v1/leads'));
      const [answers] = await Promise.all([
        Promise.all(
          Array.from({ length: 4 }, () =>
            comingAgain(firm.owner).post('/v1/leads', { lastName: 'Quill' }, key),
          ),
        ),
        sql`delete from idempotency where created_at <= moment() - interval '7 days'`,
      ]);
      expect(answers.map(({ status }) => status)).toEqual(Array(4).fill(201));
      expect(await totalOf(firm.owner.get('/v1/leads'))).toBe(before + 1);
    }
  });
});
