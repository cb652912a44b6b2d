/**
 * What a server costs that nobody asks: this build without mail and with a mail server that it has nothing to send to,
 * beside an earlier build: `bun test/proof/bench/idle.ts --vs EXECUTABLE [--executable FILE] [--rounds N]
 * [--idle SECONDS]`. Each has a Postgres of its own on an empty folder, a firm, and what the unit of the package sets
 * today. In each round all are started anew, each first in its turn, and idle at the same time: what else the
 * machine does affects all alike.
 */
import { parseArgs } from 'node:util';
import { freshExecutable } from './executable.ts';
import { median } from './load.ts';
import { setByUnit, startFirm } from './memory.ts';
import { cpuSecondsOf, memoryOf, ownCpuSecondsOf } from './processes.ts';

const { values } = parseArgs({
  options: {
    vs: { type: 'string' },
    executable: { type: 'string' },
    rounds: { type: 'string', default: '3' },
    settle: { type: 'string', default: '90' },
    idle: { type: 'string', default: '240' },
  },
});
const [rounds, settle, idle] = [values.rounds, values.settle, values.idle].map(Number) as [
  number,
  number,
  number,
];

const thread = new Worker(new URL('./mailbox.ts', import.meta.url));
const told = () => new Promise<number>((resolve) => (thread.onmessage = (e) => resolve(e.data)));
const port = await told();
const mails = () => {
  const answer = told();
  thread.postMessage('how many');
  return answer;
};

const own = values.executable ?? (await freshExecutable());
const unit = await setByUnit();
const mailing = {
  MAIL_URL: `smtp://127.0.0.1:${port}`,
  MAIL_FROM: 'office@harrow.example',
  PUBLIC_URL: 'https://practice.harrow.example',
};
const builds: { name: string; executable: string; more: Record<string, string> }[] = [
  ...(values.vs ? [{ name: 'the earlier build', executable: values.vs, more: unit }] : []),
  { name: 'without mail', executable: own, more: unit },
  { name: 'with mail', executable: own, more: { ...unit, ...mailing } },
];

/** What one costs: % of a core, and MB. */
type Found = { server: number; postgres: number; ofServer: number; ofPostgres: number };

/** What they cost in one round, in the order of `builds`. */
const measured = async (round: number): Promise<Found[]> => {
  const servers: Awaited<ReturnType<typeof startFirm>>[] = [];
  try {
    for (let nth = 0; nth < builds.length; nth += 1) {
      const at = (round + nth) % builds.length;
      const { executable, more } = builds[at] as (typeof builds)[number];
      servers[at] = await startFirm(executable, more);
    }
    await Bun.sleep(settle * 1000);
    const before = servers.map(({ pid }) => cpuOf(pid));
    await Bun.sleep(idle * 1000);
    return servers.map(({ pid }, at) => {
      const [was, is] = [before[at] ?? cpuOf(pid), cpuOf(pid)];
      const { all, root } = memoryOf(pid);
      const percent = (seconds: number) => (seconds / idle) * 100;
      return {
        server: percent(is.root - was.root),
        postgres: percent(is.all - is.root - (was.all - was.root)),
        ofServer: root,
        ofPostgres: all - root,
      };
    });
  } finally {
    for (const server of servers) await server?.end();
  }
};

const cpuOf = (pid: number) => ({ all: cpuSecondsOf(pid), root: ownCpuSecondsOf(pid) });

const found: Found[][] = [];
try {
  for (let round = 0; round < rounds; round += 1) {
    found.push(await measured(round));
    console.error(JSON.stringify(found.at(-1)));
  }
  const cells = ({ server, postgres, ofServer, ofPostgres }: Found) => [
    ...[server, postgres, server + postgres].map((percent) => percent.toFixed(2)),
    ...[ofServer, ofPostgres, ofServer + ofPostgres].map((megabytes) => megabytes.toFixed(1)),
  ];
  const line = (all: string[]) => console.log(`| ${all.join(' | ')} |`);
  line(['', 'server, %', 'Postgres, %', 'both, %', 'server, MB', 'Postgres, MB', 'both, MB']);
  line(['---', ...Array.from({ length: 6 }, () => '---:')]);
  for (const [at, { name }] of builds.entries()) {
    const all = found.flatMap((round) => round[at] ?? []).map(cells);
    line([
      name,
      ...(all[0] ?? []).map((_, nth) => String(median(all.map((row) => Number(row[nth]))))),
    ]);
  }
  console.log(`Mails that came: ${await mails()}.`);
} finally {
  thread.terminate();
}
