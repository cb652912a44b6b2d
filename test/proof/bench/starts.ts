/** How long programs take from their start to their first answer, in milliseconds. */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Contender, ContenderName } from './contenders.ts';
import { median } from './load.ts';
import { megabytesOf } from './processes.ts';
import { startProgram } from './stage.ts';

/** Medians; `empty` is the executable with its own Postgres on an empty folder, `again` on that folder. */
export type Starts = {
  onDatabase: Partial<Record<ContenderName, number>>;
  empty: number;
  again: number;
  /** The executable and its Postgres after the first answer, in MB. */
  wholeTree: number;
};

const quiet = { RATE_LIMIT: 'off', NODE_ENV: 'production', MATTERHORN_LOG: 'quiet' };

/** Starts each of them this many times in turn. */
export const measureStarts = async (
  contenders: Contender[],
  executable: string,
  key: string,
  times: number,
): Promise<Starts> => {
  const taken = new Map<ContenderName, number[]>();
  const own = { empty: [] as number[], again: [] as number[], wholeTree: [] as number[] };
  for (let round = 0; round < times; round += 1) {
    for (const { name, command } of contenders) {
      if (!command) continue;
      const environment = { DATABASE_URL: command.databaseUrl, ...quiet };
      const { milliseconds } = await startOnce(command.cmd, environment, '/v1/leads?limit=1', key);
      taken.set(name, [...(taken.get(name) ?? []), milliseconds]);
    }
    const folder = await mkdtemp(join(tmpdir(), 'matterhorn-bench-'));
    const cmd = [executable, 'serve', '--port', '0', '--data', folder];
    const environment = { DATABASE_URL: '', ...quiet };
    const first = await startOnce(cmd, environment, '/readyz', key);
    const second = await startOnce(cmd, environment, '/readyz', key);
    own.empty.push(first.milliseconds);
    own.again.push(second.milliseconds);
    own.wholeTree.push(second.memory);
    await rm(folder, { recursive: true, force: true });
  }
  return {
    onDatabase: Object.fromEntries([...taken].map(([name, each]) => [name, median(each)])),
    empty: median(own.empty),
    again: median(own.again),
    wholeTree: median(own.wholeTree),
  };
};

const startOnce = async (
  cmd: string[],
  environment: Record<string, string>,
  path: string,
  key: string,
) => {
  const begun = performance.now();
  const { address, pid, stop } = await startProgram(cmd, environment);
  const headers = { authorization: `Bearer ${key}` };
  while ((await fetch(address + path, { headers })).status !== 200) await Bun.sleep(5);
  const milliseconds = performance.now() - begun;
  const memory = megabytesOf(pid);
  await stop();
  return { milliseconds, memory };
};
