/**
 * Little memory, little idling: what all processes of a server with its own Postgres take when it has
 * just started, in the last of many mixed calls (`mixed.ts`), and while nobody asks anything. Several builds
 * make their calls in turns, and idle at the same time. The first is started with what its package's unit sets:
 * `bun run bench --cases memory [--vs EXECUTABLE] [--calls N] [--idle SECONDS]`
 */
import { copyFile, mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { mixedCalls } from './mixed.ts';
import { cpuSecondsOf, type Memory, memoryOf } from './processes.ts';
import { startProgram } from './stage.ts';

/** What a build takes: memory in MB, processor time of a call in ms, and of idling in % of a core. */
export type Footprint = {
  fresh: Memory;
  after: Memory;
  rested: Memory;
  perCall: number;
  idle: number;
};

// Short enough that no build's connections to Postgres are idle for long while another has its turn.
const callsATurn = 1_000;
const settleSeconds = 10;
// A heap is collected now and then: what it takes at one moment is chance.
const lastTurns = 20;
// Members are told of leads a minute later, and Postgres removes old rows.
const laterWorkSeconds = 120;

/** Measures these executables on folders of their own, in turns. */
export const measureFootprints = async (
  executables: string[],
  { calls, idleSeconds }: { calls: number; idleSeconds: number },
): Promise<Footprint[]> => {
  const servers: Awaited<ReturnType<typeof startFirm>>[] = [];
  try {
    for (const [at, executable] of executables.entries())
      servers.push(await startFirm(executable, at === 0 ? await setByUnit() : {}));
    const used = servers.map(() => 0);
    const after = servers.map((): Memory[] => []);
    for (let made = 0; made < calls; made += callsATurn) {
      for (const [at, { pid, call }] of servers.entries()) {
        const before = cpuSecondsOf(pid);
        await call(Math.min(callsATurn, calls - made));
        used[at] = (used[at] ?? 0) + cpuSecondsOf(pid) - before;
        if (made >= calls - lastTurns * callsATurn) after[at]?.push(memoryOf(pid));
      }
    }
    await Bun.sleep(Math.min(laterWorkSeconds, idleSeconds) * 1000);
    const atRest = servers.map(({ pid }) => cpuSecondsOf(pid));
    await Bun.sleep(idleSeconds * 1000);
    return servers.map(({ pid, fresh }, at) => ({
      fresh,
      after: meanOf(after[at] ?? []),
      rested: memoryOf(pid),
      perCall: ((used[at] ?? 0) * 1000) / calls,
      idle: ((cpuSecondsOf(pid) - (atRest[at] ?? 0)) / idleSeconds) * 100,
    }));
  } finally {
    for (const { end } of servers) await end();
  }
};

const meanOf = (all: Memory[]): Memory => {
  const mean = (part: keyof Memory) =>
    all.reduce((sum, one) => sum + one[part], 0) / Math.max(1, all.length);
  return { all: mean('all'), root: mean('root'), shared: mean('shared') };
};

/** Starts a server on an empty folder, measures it once it has settled, and founds a firm. */
export const startFirm = async (build: string, more: Record<string, string>) => {
  const folder = await mkdtemp(join(tmpdir(), 'matterhorn-bench-'));
  // A copy: what others that run the same file have in memory would be divided among them.
  const data = join(folder, 'data');
  const executable = join(folder, 'executable');
  await copyFile(build, executable);
  const serve = [executable, 'serve', '--port', '0', '--data', data];
  const { address, pid, stop } = await startProgram(serve, { ...environment, ...more });
  const end = async () => {
    await stop();
    await rm(folder, { recursive: true, force: true });
  };
  try {
    await Bun.sleep(settleSeconds * 1000);
    const fresh = memoryOf(pid);
    const printed = async <Document>(words: string[], input = '') => {
      const child = Bun.spawn([executable, ...words, '--data', data, '--json'], {
        env: { ...process.env, ...environment },
        stdio: [Buffer.from(input), 'pipe', 'inherit'],
      });
      return (await new Response(child.stdout).json()) as Document;
    };
    const { members, practiceAreas } = await printed<Standing>(
      ['firm', 'apply', '-'],
      JSON.stringify(blueprint),
    );
    const { key } = await printed<{ key: string }>([
      'key',
      'create',
      '--member',
      'ada@harrow.example',
      '--scope',
      ...scopes,
    ]);
    const firm = { address, key, members: Object.values(members) };
    const call = mixedCalls({ ...firm, practiceAreaId: practiceAreas.Family?.id ?? '' });
    return { pid, fresh, call, end };
  } catch (error) {
    await end();
    throw error;
  }
};

/** What the unit of the package sets; those of earlier versions set nothing. */
export const setByUnit = async (): Promise<Record<string, string>> => {
  const unit = join(import.meta.dir, '../../../.ci/deb/matterhorn.service');
  const lines = (await readFile(unit, 'utf8')).matchAll(/^Environment=(\w+)=(.*)$/gm);
  return Object.fromEntries([...lines].map(([, name, value]) => [name, value]));
};

const environment = {
  DATABASE_URL: '',
  RATE_LIMIT: 'off',
  NODE_ENV: 'production',
  MATTERHORN_LOG: 'quiet',
};

type Standing = {
  members: Record<string, string>;
  practiceAreas: Record<string, { id: string }>;
};

const blueprint = {
  name: 'Harrow Quill',
  members: [
    { email: 'ada@harrow.example', name: 'Ada', role: 'Owner' },
    { email: 'ben@harrow.example', name: 'Ben', role: 'Owner' },
  ],
  numbering: { lead: 'L-{####}', matter: 'M-{####}' },
  leadStages: ['New', 'Contacted'],
  practiceAreas: [{ name: 'Family', stages: ['Intake', 'Filed'] }],
  customFields: [{ on: 'lead', name: 'Referral source', type: 'TEXT' }],
};

const scopes = [
  ...['contacts', 'leads', 'matters'].flatMap((name) => [`${name}:read`, `${name}:write`]),
  'practice-areas:read',
  'custom-fields:read',
];

/** What was measured, as Markdown; the second of two is the one that is compared with. */
export const ofFootprints = ([own, other]: Footprint[]): string => {
  const lines: [string, (one: Footprint) => number, number][] = [
    ['fresh, MB', ({ fresh }) => fresh.all, 0],
    ['… of it the server, MB', ({ fresh }) => fresh.root, 0],
    ['after the calls, MB', ({ after }) => after.all, 0],
    ['… of it the server, MB', ({ after }) => after.root, 0],
    ["… shared among Postgres' processes, MB", ({ after }) => after.shared, 0],
    ['… all others of their own, MB', ({ after }) => after.all - after.root - after.shared, 0],
    ['after idling, MB', ({ rested }) => rested.all, 0],
    ['a call, ms of processor time', ({ perCall }) => perCall, 3],
    ['idling, % of a core', ({ idle }) => idle, 3],
  ];
  const row = ([name, of, digits]: (typeof lines)[number]) => {
    const cells = [own, other].flatMap((one) => (one ? [of(one).toFixed(digits)] : []));
    const ratio = own && other ? [(of(own) / of(other)).toFixed(2)] : [];
    return [name, ...cells, ...ratio];
  };
  const head = ['', 'this build', ...(other ? ['the other', 'ratio'] : [])];
  const line = (cells: string[]) => `| ${cells.join(' | ')} |`;
  return [line(head), line(head.map(() => '---')), ...lines.map((one) => line(row(one)))].join(
    '\n',
  );
};
