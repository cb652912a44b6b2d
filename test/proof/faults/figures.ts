/** What a run of a fault comes to, in numbers: each line of the table. */
import { readSettings } from '../../../src/config.ts';
import { type Database, openDatabase } from '../../../src/postgres/pool.ts';
import { clockOf } from '../../support/clock.ts';
import { caller } from '../../support/firm.ts';
import { run } from '../../support/terminal.ts';
import type { Work } from './clients.ts';
import { closingMisfits } from './closing.ts';
import type { FirmOfClients } from './firms.ts';
import type { Laboratory } from './laboratory.ts';
import { replayMisfits } from './replay.ts';
import { type Misfits, storedMisfits } from './stored.ts';
import { toldMisfits } from './told.ts';

export type Figures = {
  rounds: number;
  writes: number;
  /** What does not fit, in words, by the column of the table that counts it. */
  misfits: Misfits;
  /** Connections that ended during a request when a server was killed. The client asks again. */
  dropped: number;
  slowestSeconds: number;
  readySeconds: number;
  mebibytes: number;
  connections: number;
};

export const nothing = (): Figures => ({
  rounds: 0,
  writes: 0,
  misfits: {},
  dropped: 0,
  slowestSeconds: 0,
  readySeconds: 0,
  mebibytes: 0,
  connections: 0,
});

export const sumOf = (one: Figures, other: Figures): Figures => ({
  rounds: one.rounds + other.rounds,
  writes: one.writes + other.writes,
  misfits: joined(one.misfits, other.misfits),
  dropped: one.dropped + other.dropped,
  slowestSeconds: Math.max(one.slowestSeconds, other.slowestSeconds),
  readySeconds: Math.max(one.readySeconds, other.readySeconds),
  mebibytes: other.mebibytes,
  connections: other.connections,
});

/** Looks at everything, once the clients have finished and what is due is done. */
export const figuresOf = async (lab: Laboratory, work: Work): Promise<Figures> => {
  let misfits: Misfits = {
    broken: work.broken,
    hung: Array.from({ length: work.counts.hung }, () => 'no answer within 10 s'),
    foreign: times(work.tally.foreign, "another firm's word in an answer"),
    stale: times(work.tally.stale, 'a read behind an acknowledged write'),
    twice: times(work.tally.twice, 'a repeat was given another record'),
  };
  const address = readSettings({ DATABASE_URL: lab.databaseUrl }).database ?? '';
  const database = openDatabase(address, 2);
  try {
    await rest(lab);
    for (const firm of work.firms) misfits = joined(misfits, await ofFirm(lab, database, firm));
    misfits = joined(misfits, await ofAll(lab, work));
  } catch (error) {
    misfits = joined(misfits, { broken: [String(error)] });
  } finally {
    await database.close();
  }
  return {
    ...nothing(),
    misfits,
    writes: work.tally.writes,
    dropped: work.counts.dropped,
    slowestSeconds: work.slowestMilliseconds() / 1000,
    mebibytes: await lab.mebibytes(),
    connections: await lab.look(async (sql) => {
      const [row] = await sql`select count(*)::int as count from pg_stat_activity
        where application_name = 'matterhorn' and backend_type = 'client backend'`;
      return row?.count;
    }),
  };
};

const restSeconds = 60;

/** Lets time pass until nothing that the firms' writes asked for is left to do, and all is sealed. */
const rest = async (lab: Laboratory) => {
  const until = performance.now() + restSeconds * 1000;
  for (;;) {
    const left = await lab.look(async (sql) => {
      const [row] = await sql<{ jobs: number; seconds: number; unsealed: number }[]>`
        select count(*)::int as jobs, extract(epoch from min(run_at) - moment())::float8 as seconds,
          (select count(*)::int from audit_entry entry where not exists (
            select from audit_seal seal where seal.firm_id = entry.firm_id
              and seal.entry_id = entry.id)) as unsealed
        from job where dead_at is null and kind = any(${['lead_announce', 'matter_tell', 'close_out_events', 'close_out_tasks', 'limitation_look']})`;
      if (row && row.seconds > 1) await clockOf(sql).step(row.seconds);
      return row;
    });
    if (left?.jobs === 0 && left.unsealed === 0) return;
    if (performance.now() > until) throw new Error(`Left to do: ${JSON.stringify(left)}`);
    await Bun.sleep(50);
  }
};

const ofFirm = async (
  lab: Laboratory,
  database: Database,
  firm: FirmOfClients,
): Promise<Misfits> => {
  const stored = await lab.look((sql) => storedMisfits(sql, firm));
  const verified = await run(lab.databaseUrl, ['audit', 'verify', '--firm', firm.id]);
  return {
    ...stored,
    replay: await lab.look((sql) => replayMisfits(sql, firm.id)),
    told: await lab.look((sql) => toldMisfits(sql, database, firm)),
    closing: await lab.look((sql) => closingMisfits(sql, firm.id)),
    chain: verified.exitCode === 0 ? [] : [verified.err],
    lists: await listMisfits(lab, firm),
  };
};

/** Every list, paged through to its end at each server, has exactly what its clients know of (V8). */
const listMisfits = async (lab: Laboratory, firm: FirmOfClients): Promise<string[]> => {
  const wrong: string[] = [];
  for (const [index, resource] of (['leads', 'matters', 'leads'] as const).entries()) {
    const { get } = caller(lab.urlOf(index), firm.owner.key);
    const ids = new Set<string>();
    const limit = [7, 20, 100][index] ?? 20;
    let total = 0;
    for (let offset = 0; offset === 0 || offset < total; offset += limit) {
      const { body } = await get(`/v1/${resource}?limit=${limit}&offset=${offset}`);
      total = body.pagination.total;
      for (const { id } of body.data) ids.add(id);
    }
    const known = [...firm.known.values()].filter(
      (one) => one.resource === resource && !one.isDeleted,
    );
    const isSame = known.every(({ id }) => ids.has(id));
    if (!isSame || ids.size !== known.length || total !== known.length)
      wrong.push(`${resource}: ${known.length} known, ${ids.size} listed, total ${total}`);
  }
  return wrong;
};

/** What is looked at for all firms together: other firms' words, the log, dead letters, who gave up. */
const ofAll = async (lab: Laboratory, { firms }: Work): Promise<Misfits> => {
  const foreign: string[] = [];
  const dead = await lab.look(
    (sql) => sql<{ kind: string; lastError: string }[]>`
      select kind, last_error as "lastError" from job where dead_at is not null`,
  );
  const leaked = await lab.look(
    (sql) => sql<{ firmId: string }[]>`
      select firm_id as "firmId" from notification
      where title || text ~ 'Mark[0-9a-f]{32}'
        and title || text not like '%Mark' || replace(firm_id::text, '-', '') || '%'`,
  );
  for (const { firmId } of leaked) foreign.push(`in a notification of ${firmId}`);
  if (firms.some(({ marker }) => lab.log().includes(marker)))
    foreign.push("a client's word in the log");
  return {
    foreign,
    dead: dead.map(({ kind, lastError }) => `${kind}: ${lastError}`),
    byHand: lab.gaveUp.splice(0),
  };
};

export const times = (count: number, words: string) => Array.from({ length: count }, () => words);

export const joined = (one: Misfits, other: Misfits): Misfits => {
  const all = { ...one };
  for (const [kind, words] of Object.entries(other)) all[kind] = [...(all[kind] ?? []), ...words];
  return all;
};
