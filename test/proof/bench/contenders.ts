/** Who is measured: the server, the yardstick and the typical server, each on a copy of one database. */
import { join } from 'node:path';
import type postgres from 'postgres';
import { type LoadRequest, type Measured, measure } from './load.ts';
import { findPgbench, type Place, runPgbench } from './pgbench.ts';
import { cpuSecondsOf, megabytesOf } from './processes.ts';
import type { setStage } from './stage.ts';
import { measureWithWrk, wrk } from './wrk.ts';

/** In the order in which they are measured and shown. */
export const contenderNames = ['server', 'yardstick', 'typical', 'pgbench'] as const;
export type ContenderName = (typeof contenderNames)[number];

/**
 * What one run showed. CPU in milliseconds per request, memory in MB right after the last answer;
 * `connections`: how many to Postgres.
 */
export type Run = Measured & {
  cpu: number;
  databaseCpu: number;
  memory: number;
  database: number;
  connections: number;
};

/** What is asked: requests sent in turn, and for pgbench the script of the same statements. */
export type Asked = {
  id: string;
  requests: LoadRequest[];
  writes?: boolean;
  script?: string;
  variables?: Record<string, string>;
};

export type Contender = {
  name: ContenderName;
  /** How to start it again on its database; undefined for pgbench. */
  command?: { cmd: string[]; databaseUrl: string };
  address?: string;
  /** Measures one run; undefined if the contender does not take part in this case. */
  run(asked: Asked, clients: number, seconds: number): Promise<Run | undefined>;
};

/** How many connections to Postgres the others have. Each case is asked over the best of these numbers. */
export const numbersOfConnections = [10, 4, 1];
/** How many the server has: the default of DATABASE_CONNECTIONS. */
const ownConnections = 5;

type Program = { address: string; pid: number; connections: number };

/** Starts all whose programs are there on copies of what the stage has stored; says who is left out. */
export const startContenders = async (
  stage: Awaited<ReturnType<typeof setStage>>,
  executable: string,
): Promise<{ contenders: Contender[]; leftOut: string[] }> => {
  const postmaster = await stage.postmaster();
  const leftOut: string[] = [];
  const commands: [ContenderName, string[]][] = [
    ['yardstick', [process.execPath, join(import.meta.dir, 'yardstick.ts')]],
  ];
  const node = Bun.which('node');
  const typical = join(import.meta.dir, 'typical/server.mjs');
  if (node) commands.push(['typical', [node, typical]]);
  else leftOut.push('The typical server is left out: there is no `node` on the PATH.');
  const program = await findPgbench();
  const alone = program && (await stage.copyTo('pgbench'));
  const others = [];
  for (const [name, words] of commands) {
    const databaseUrl = await stage.copyTo(name);
    await searchByTrigrams(stage.connect(name));
    const cmds = numbersOfConnections.map((count) => [...words, databaseUrl, String(count)]);
    others.push({ name, cmds, databaseUrl });
  }

  const contenders: Contender[] = [];
  const own = {
    name: 'server' as const,
    cmds: [[executable, 'serve', '--port', '0']],
    databaseUrl: stage.url,
  };
  for (const { name, cmds, databaseUrl } of [own, ...others]) {
    const programs: Program[] = [];
    for (const [index, cmd] of cmds.entries()) {
      const { address, pid } = await stage.startOn(cmd, databaseUrl);
      const connections = name === 'server' ? ownConnections : numbersOfConnections[index];
      programs.push({ address, pid, connections: connections ?? ownConnections });
    }
    const settle = name === 'server' ? settling(stage.connect()) : async () => {};
    contenders.push({
      name,
      address: programs[0]?.address as string,
      command: { cmd: cmds[0] as string[], databaseUrl },
      run: runsOf(programs, postmaster, settle),
    });
  }

  if (program && alone) {
    const place = { ...stage.address, database: 'pgbench' };
    contenders.push({ name: 'pgbench', run: runsOfPgbench(program, place, postmaster) });
  } else leftOut.push('pgbench is left out: it is neither on the PATH nor in /usr/lib/postgresql.');
  return { contenders, leftOut };
};

const runsOfPgbench =
  (program: string, place: Place, postmaster: number): Contender['run'] =>
  async ({ script, variables = {} }, clients, seconds) => {
    if (!script) return undefined;
    // Postgres takes a hundred connections: the others have given theirs back by then.
    await Bun.sleep(3_000);
    const databaseCpu = cpuSecondsOf(postmaster);
    const measured = await runPgbench(program, place, script, variables, clients, seconds);
    const each = 1000 / measured.requests;
    return {
      ...measured,
      cpu: Number.NaN,
      memory: Number.NaN,
      database: Number.NaN,
      connections: clients,
      databaseCpu: (cpuSecondsOf(postmaster) - databaseCpu) * each,
    };
  };

// wrk counts only what was answered in its time: too little of what is slow.
const fewestForWrk = 100;

/**
 * Measures runs of a contender that stands there with several numbers of connections. The first run
 * of a case with as many clients finds out which of them is the fastest.
 */
const runsOf = (programs: Program[], postmaster: number, settle: () => Promise<void>) => {
  const best = new Map<string, { program: Program; perSecond: number }>();

  const measureOn = async (
    { pid, connections }: Program,
    writes: boolean | undefined,
    load: () => Promise<Measured>,
  ): Promise<Run> => {
    const [cpu, databaseCpu] = [cpuSecondsOf(pid), cpuSecondsOf(postmaster)];
    const measured = await load();
    const [memory, database] = [megabytesOf(pid), megabytesOf(postmaster)];
    if (writes) await settle();
    const each = 1000 / measured.requests;
    return {
      ...measured,
      memory,
      database,
      connections,
      cpu: (cpuSecondsOf(pid) - cpu) * each,
      databaseCpu: (cpuSecondsOf(postmaster) - databaseCpu) * each,
    };
  };

  return async ({ id, requests, writes }: Asked, clients: number, seconds: number) => {
    const which = `${id} ${clients}`;
    const found = best.get(which);
    if (found) {
      const { program, perSecond } = found;
      return measureOn(program, writes, () =>
        wrk && seconds >= 1 && perSecond >= fewestForWrk
          ? measureWithWrk(wrk, program.address, requests, clients, Math.round(seconds))
          : measure(program.address, requests, clients, seconds),
      );
    }
    const runs: Run[] = [];
    for (const program of programs) {
      const run = await measureOn(program, writes, () =>
        measure(program.address, requests, clients, seconds),
      );
      runs.push(run);
      const { perSecond } = run;
      if (perSecond > (best.get(which)?.perSecond ?? 0)) best.set(which, { program, perSecond });
    }
    return runs.toSorted((one, other) => other.perSecond - one.perSecond)[0];
  };
};

/** What others search by, in the place of the server's own: each text once, under an index of its trigrams. */
const searchByTrigrams = async (sql: postgres.Sql) => {
  for (const table of ['contact', 'lead', 'matter']) {
    await sql.unsafe(`drop index ${table}_search`);
    await sql.unsafe(`update ${table} set findable_by = split_part(findable_by, '|', 1)
      where findable_by like '%|%'`);
    await sql.unsafe(`vacuum full analyze ${table}`);
    await sql.unsafe(`create index ${table}_search on ${table}
      using gin (firm_id, findable_by gin_trgm_ops) where deleted_at is null`);
  }
};

const maxSettlingSeconds = 60;

/**
 * Makes the server do its later work at once: announce leads, seal the audit log. So the work does
 * not disturb the next measurement, and counts as CPU of the requests that caused it.
 */
const settling = (sql: postgres.Sql) => async () => {
  const begun = performance.now();
  await sql`update job set run_at = moment() where kind = 'lead_announce' and dead_at is null`;
  for (;;) {
    const [left] = await sql`
      select exists (select from job where dead_at is null and run_at <= moment()) or exists (
        select from firm where (select max(id) from audit_entry where firm_id = firm.id)
          is distinct from (select max(entry_id) from audit_seal where firm_id = firm.id)) as "isBusy"`;
    if (!left?.isBusy) return;
    if (performance.now() - begun > maxSettlingSeconds * 1000)
      return console.error(`The server is not done with its jobs after ${maxSettlingSeconds} s.`);
    await Bun.sleep(100);
  }
};
