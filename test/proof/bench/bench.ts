/**
 * The server beside three others in one run, alternating, on copies of one database: the bare
 * yardstick (`yardstick.ts`), a typical server (`typical/`), and pgbench with the same statements.
 *
 *   bun run bench [--seconds N] [--rounds N] [--clients 1,16,64] [--cases read,search]
 *     [--large] [--small] [--write] [--vs EXECUTABLE] [--calls N] [--idle SECONDS]
 *
 * Prints Markdown. What counts are the ratios: the load shares the machine with what it measures.
 * The cases `young` and `memory` come last: this server alone, on a fresh database (`young.ts`) and
 * with a Postgres of its own (`memory.ts`). `--vs` measures the memory of another build beside it.
 * `--small` is quick and judges nothing but that all answer; `--large` adds a firm of a million
 * leads; `--cases` takes only some of those of `cases.ts`; `--write` puts the report into
 * docs/proof.md and the plot into docs/benchmark.svg. Ends with 1 where an answer was refused or
 * wrong.
 */
import { cpus, totalmem } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { type Case, storeCases } from './cases.ts';
import { type Contender, type ContenderName, type Run, startContenders } from './contenders.ts';
import { freshExecutable } from './executable.ts';
import { busyClients, type Findings, medianOf, type Row } from './figures.ts';
import { measureFootprints, ofFootprints } from './memory.ts';
import { plotOf } from './plot.ts';
import { reportOf } from './report.ts';
import { setStage } from './stage.ts';
import { measureStarts } from './starts.ts';
import { wrk } from './wrk.ts';
import { measureYoung, ofYoung, withoutAutovacuum } from './young.ts';

const { values: flags } = parseArgs({
  options: {
    seconds: { type: 'string' },
    rounds: { type: 'string' },
    clients: { type: 'string' },
    cases: { type: 'string' },
    executable: { type: 'string' },
    vs: { type: 'string' },
    calls: { type: 'string' },
    idle: { type: 'string' },
    large: { type: 'boolean', default: false },
    small: { type: 'boolean', default: false },
    write: { type: 'boolean', default: false },
  },
});
const seconds = Number(flags.seconds ?? (flags.small ? 0.2 : 1));
const warmUpSeconds = flags.small ? 0.2 : 3;
const rounds = Number(flags.rounds ?? (flags.small ? 1 : 3));
const clients = (flags.clients ?? (flags.small ? '1,16' : '1,16,64')).split(',').map(Number);
const pages = flags.small ? [1_000, 10_000] : [1_000, 100_000];
const sizes = {
  pages: flags.large ? [...pages, 1_000_000] : pages,
  main: pages[1] as number,
  people: pages[1] as number,
};
const footprint = {
  calls: Number(flags.calls ?? (flags.small ? 500 : 250_000)),
  idleSeconds: Number(flags.idle ?? (flags.small ? 5 : 600)),
};
if (!(seconds > 0 && rounds >= 1 && clients.every((count) => count >= 1))) {
  console.error('--seconds, --rounds and --clients take positive numbers.');
  process.exit(2);
}

const only = flags.cases?.split(',');
if (flags.write && (flags.small || only)) {
  console.error('--write takes a whole run: leave --small and --cases out.');
  process.exit(2);
}

const wrong: string[] = [];
const memory: Findings['memory'] = {};

/** Asks each contender once, and compares what a list holds. */
const checkAnswers = async ({ name, requests, rows }: Case, contenders: Contender[]) => {
  const [{ method, path, key, body } = { method: '', path: '', key: '' }] = requests;
  const totals = new Set<number>();
  for (const { name: contender, address } of contenders) {
    if (!address) continue;
    const headers = { authorization: `Bearer ${key}`, 'content-type': 'application/json' };
    const answer = await fetch(address + path, { method, headers, ...(body && { body }) });
    const { data, pagination } = (await answer.json()) as {
      data?: { length?: number; id?: string };
      pagination?: { total: number };
    };
    const isWhole = rows === undefined ? data && data.length !== 0 : data?.length === rows;
    if (!answer.ok || !isWhole) wrong.push(`${name}: ${contender} answered ${answer.status}.`);
    if (rows !== undefined) totals.add(pagination?.total ?? -1);
  }
  if (totals.size > 1) wrong.push(`${name}: the totals differ: ${[...totals]}.`);
};

const remember = (name: ContenderName, { memory: own, database }: Run) => {
  const max = memory[name] ?? { own: 0, withDatabase: 0 };
  memory[name] = {
    own: Math.max(max.own, own),
    withDatabase: Math.max(max.withDatabase, own + database),
  };
};

/** Has each program compile what a case runs often, before anything is measured. */
const warmUp = async (asked: Case, contenders: Contender[]) => {
  for (const { name, run } of contenders)
    if (name !== 'pgbench') await run(asked, busyClients, warmUpSeconds);
};

const compare = async (asked: Case, contenders: Contender[], count: number): Promise<Row> => {
  const runs = new Map<ContenderName, Run[]>();
  for (let round = 0; round <= rounds; round += 1) {
    for (const { name, run } of contenders) {
      // The first round finds out over how many connections each is the fastest.
      const measured = await run(asked, count, round === 0 ? seconds / 2 : seconds);
      if (!measured) continue;
      if (measured.failed > 0) wrong.push(`${asked.name}: ${name} refused ${measured.failed}.`);
      if (name !== 'pgbench') remember(name, measured);
      if (round > 0) runs.set(name, [...(runs.get(name) ?? []), measured]);
    }
  }
  const of = Object.fromEntries([...runs].map(([name, each]) => [name, medianOf(each)]));
  const shown = [...runs.keys()].map((name) => `${name} ${of[name]?.perSecond.toFixed(0)}/s`);
  console.error(`${asked.name}, ${count} clients: ${shown.join(', ')}`);
  return { id: asked.id, name: asked.name, clients: count, of };
};

const executable = flags.executable ?? (await freshExecutable());
const compareMemory = async () => {
  const builds = [executable, ...(flags.vs ? [flags.vs] : [])];
  console.log(`\n${ofFootprints(await measureFootprints(builds, footprint))}`);
};
if (only?.join() === 'memory') {
  await compareMemory();
  process.exit(0);
}
const stage = await setStage();
for (const signal of ['SIGINT', 'SIGTERM'] as const)
  process.once(signal, () => void stage.clear().finally(() => process.exit(130)));
try {
  const stored = await storeCases(stage, sizes);
  const { key } = stored;
  const comparison = stored.comparison.filter(({ id }) => only?.includes(id) ?? true);
  const bySize = only ? [] : stored.growth;
  const { contenders, leftOut } = await startContenders(stage, executable);
  for (const one of [...comparison, ...bySize.flatMap(({ first, deep }) => [first, deep])])
    await checkAnswers(one, contenders);

  const rows: Row[] = [];
  for (const one of comparison) {
    await warmUp(one, contenders);
    for (const count of clients) rows.push(await compare(one, contenders, count));
  }
  const growth: Findings['growth'] = [];
  for (const { size, first, deep } of bySize) {
    const [ofFirst, ofDeep] = [
      await compare(first, contenders, 1),
      await compare(deep, contenders, 1),
    ];
    growth.push({ size, first: ofFirst, deep: ofDeep });
  }
  const starts = await measureStarts(contenders, executable, key, flags.small ? 1 : 3);

  const sql = stage.connect();
  const [postgres] = await sql`show server_version`;
  const machine = `${new Date().toISOString().slice(0, 10)}, ${process.platform} ${process.arch}, ${cpus().length} × ${cpus()[0]?.model ?? 'CPU'}, ${Math.round(totalmem() / 1e9)} GB; Bun ${Bun.version}, Postgres ${postgres?.server_version}; ${rounds} rounds of ${seconds} s each. The load is ${wrk && seconds >= 1 ? 'wrk' : 'the benchmark itself'}, and shares these cores.`;
  const findings: Findings = {
    rows,
    growth,
    starts,
    memory,
    leftOut,
    machine,
    mainSize: sizes.main,
    isJudged: !flags.small && !only,
  };
  const report = reportOf(findings);
  console.log(report);
  if (only?.includes('young') ?? true) {
    await withoutAutovacuum(stage.url);
    const sizes = flags.small ? { leads: 1_000, rounds: 1 } : { leads: 20_000, rounds: 9 };
    console.log(`\n${ofYoung([await measureYoung(stage.url, { executable, ...sizes })])}`);
  }
  if (only?.includes('memory') ?? true) await compareMemory();
  if (flags.write) await writeDown(report, plotOf(findings));
} finally {
  await stage.clear();
}
for (const sentence of new Set(wrong)) console.error(`WRONG ${sentence}`);
process.exit(wrong.length > 0 ? 1 : 0);

async function writeDown(report: string, plot: string) {
  const docs = join(import.meta.dir, '../../../docs');
  await Bun.write(join(docs, 'benchmark.svg'), plot);
  const proof = await Bun.file(join(docs, 'proof.md')).text();
  const [begin, end] = ['<!-- benchmark: begin -->', '<!-- benchmark: end -->'];
  const [before, rest] = proof.split(begin);
  const after = rest?.split(end)[1];
  if (after === undefined) throw new Error(`docs/proof.md has no ${begin} … ${end}.`);
  await Bun.write(join(docs, 'proof.md'), `${before}${begin}\n\n${report}\n\n${end}${after}`);
}
