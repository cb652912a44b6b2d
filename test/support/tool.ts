/** Runs a program of the packages, as a developer would. */
import { join } from 'node:path';

const repository = join(import.meta.dir, '../..');

/** Runs it from the top folder, with more in its environment; gives what it printed and how it ended. */
export const runTool = async (words: string[], environment?: Record<string, string>) => {
  const child = Bun.spawn(words, {
    cwd: repository,
    env: { ...process.env, ...environment },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const [out, err] = await Promise.all([child.stdout.text(), child.stderr.text()]);
  return { exitCode: await child.exited, out, err };
};
