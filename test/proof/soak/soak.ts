/**
 * The soak: `bun run soak [--minutes N] [--firms N] [--rate N] [--executable FILE]`. Firms work at
 * one server for hours, through the API and in browsers: so many requests a second, however long the
 * answers take. Prints processor time, latencies, memory, connections and the size of the tables of
 * the first half beside the second. Exits with 1 if an answer was wrong, an acknowledged lead is
 * missing, a job was given up, or an audit log does not verify.
 */
import { parseArgs } from 'node:util';
import { endAll } from '../../support/at-end.ts';
import { makeFirm } from '../../support/firm.ts';
import { run } from '../../support/terminal.ts';
import { freshExecutable } from '../bench/executable.ts';
import { spreadOf } from '../bench/load.ts';
import { cpuSecondsOf, megabytesOf } from '../bench/processes.ts';
import { setStage } from '../bench/stage.ts';
import { askSomething, type Kind, kinds, openDay, type Working } from './day.ts';

const { values: flags } = parseArgs({
  options: {
    minutes: { type: 'string', default: '120' },
    firms: { type: 'string', default: '50' },
    rate: { type: 'string', default: '40' },
    executable: { type: 'string' },
  },
});
const [minutes, firmCount, rate] = [flags.minutes, flags.firms, flags.rate].map(Number);
if (!(minutes && firmCount && rate) || Math.min(minutes, firmCount, rate) < 0)
  throw new Error('--minutes, --firms and --rate take numbers above 0.');

/** More requests than this do not wait at once: the server has fallen behind. */
const maxWaiting = 500;
const settleMilliseconds = 30_000;

type Half = {
  latencies: Record<Kind, number[]>;
  requests: number;
  /** Milliseconds of processor time a request. */
  server: number;
  postgres: number;
};

const stage = await setStage();
const faults: string[] = [];
const memory: { server: number; postgres: number; connections: number }[] = [];

/** Asks at the rate for this long, and waits for the answers. */
const work = async (days: Working[], serverPid: number, milliseconds: number): Promise<Half> => {
  const latencies = Object.fromEntries(
    kinds.map((kind) => [kind, []]),
  ) as unknown as Half['latencies'];
  const waiting = new Set<Promise<void>>();
  const postmaster = await stage.postmaster();
  const used = { server: cpuSecondsOf(serverPid), postgres: cpuSecondsOf(postmaster) };
  const began = performance.now();
  let requests = 0;
  let sampledAt = began;
  const one = async (day: Working) => {
    const since = performance.now();
    const done = await Promise.race([
      askSomething(url, day).catch((error) => ({ kind: 'read' as const, fault: String(error) })),
      Bun.sleep(settleMilliseconds).then(() => ({ kind: 'read' as const, fault: 'no answer' })),
    ]);
    latencies[done.kind].push(performance.now() - since);
    if (done.fault) faults.push(done.fault);
  };
  while (performance.now() - began < milliseconds) {
    const due = ((performance.now() - began) / 1000) * rate;
    for (; requests < due && waiting.size < maxWaiting; requests += 1) {
      const asked = one(days[requests % days.length] as Working);
      waiting.add(asked);
      void asked.then(() => waiting.delete(asked));
    }
    if (performance.now() - sampledAt > 10_000) {
      sampledAt = performance.now();
      memory.push(await sampleOf(serverPid, postmaster));
    }
    await Bun.sleep(5);
  }
  await Promise.all(waiting);
  memory.push(await sampleOf(serverPid, postmaster));
  const of = (pid: number, before: number) => ((cpuSecondsOf(pid) - before) * 1000) / requests;
  const server = of(serverPid, used.server);
  return { latencies, requests, server, postgres: of(postmaster, used.postgres) };
};

const sampleOf = async (serverPid: number, postmaster: number) => {
  const [row] = await sql`select count(*)::int as count from pg_stat_activity
    where backend_type = 'client backend' and pid <> pg_backend_pid()`;
  const [server, postgres] = [megabytesOf(serverPid), megabytesOf(postmaster)];
  return { server, postgres, connections: Number(row?.count) };
};

/** Rows that are live and dead, and what the largest tables take with their indexes. */
const tables = () =>
  sql`select relname as "table", n_live_tup::int as live, n_dead_tup::int as dead,
      round(pg_total_relation_size(relid) / 1e6)::int as "MB"
    from pg_stat_user_tables order by pg_total_relation_size(relid) desc limit 8`;

/** What must hold at the end. */
const lookAtEnd = async (days: Working[]) => {
  const [jobs] = await sql`select count(*) filter (where dead_at is not null)::int as dead,
    coalesce(extract(epoch from now() - min(run_at) filter (where dead_at is null)), 0)::int as late
    from job`;
  if (jobs?.dead > 0) faults.push(`${jobs?.dead} jobs were given up`);
  if (jobs?.late > 60) faults.push(`a job has been due for ${jobs?.late} seconds`);
  for (const { firm, leads } of days) {
    const [{ count }] = (await sql`select count(*)::int as count from lead
      where firm_id = ${firm.id} and id = any(${leads}::uuid[])`) as unknown as [{ count: number }];
    if (count !== leads.length) faults.push(`${leads.length - count} leads of a firm are missing`);
    const { exitCode, err } = await run(stage.url, ['audit', 'verify', '--firm', firm.id]);
    if (exitCode !== 0) faults.push(err);
  }
};

const sql = stage.connect();
let url = '';
try {
  const executable = flags.executable ?? (await freshExecutable());
  const server = await stage.startOn([executable, 'serve', '--port', '0'], stage.url);
  url = server.address;
  const days: Working[] = [];
  while (days.length < firmCount) {
    const at = { url, databaseUrl: stage.url };
    days.push(await openDay(at, await makeFirm(at)));
  }
  const halfMilliseconds = (minutes * 60_000) / 2;
  const first = await work(days, server.pid, halfMilliseconds);
  const between = memory.length;
  console.log('The largest tables after the first half:');
  console.table(await tables());
  const second = await work(days, server.pid, halfMilliseconds);
  console.log('After the second:');
  console.table(await tables());
  await lookAtEnd(days);

  const max = (samples: typeof memory, of: keyof (typeof memory)[number]) =>
    Math.round(Math.max(...samples.map((sample) => sample[of])));
  const lineOf = (half: Half, samples: typeof memory) => ({
    requests: half.requests,
    'CPU a request, server ms': half.server.toFixed(2),
    'Postgres ms': half.postgres.toFixed(2),
    ...Object.fromEntries(
      kinds.map((kind) => {
        const { p50, p99 } = spreadOf(half.latencies[kind]);
        return [`${kind} p50 / p99 ms`, `${p50.toFixed(1)} / ${p99.toFixed(0)}`];
      }),
    ),
    'server MB': max(samples, 'server'),
    'Postgres MB': max(samples, 'postgres'),
    connections: max(samples, 'connections'),
  });
  const [early, late] = [
    lineOf(first, memory.slice(0, between)),
    lineOf(second, memory.slice(between)),
  ];
  console.table(
    Object.fromEntries(
      Object.entries(early).map(([name, figure]) => [
        name,
        { 'first half': figure, 'second half': late[name as keyof typeof late] },
      ]),
    ),
  );
} finally {
  await stage.clear();
  await endAll();
}
const kindsOfFaults = Map.groupBy(faults, (fault) =>
  fault.replaceAll(/[0-9a-f]{8}-[0-9a-f-]{27}/g, '…'),
);
for (const [fault, { length }] of kindsOfFaults) console.log(`${length} times: ${fault}`);
console.log(`${faults.length} faults.`);
process.exit(faults.length === 0 ? 0 : 1);
