/** What a file of tests leaves behind fails it. The files here are made for it, in a folder of their own. */
import { afterAll, expect, test } from 'bun:test';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const support = join(import.meta.dir, '../../support');
const folder = mkdtempSync(join(tmpdir(), 'left-'));
afterAll(() => rmSync(folder, { recursive: true }));

const head = `
import { test } from 'bun:test';
import { rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { runnerOn } from '${support}/runner.ts';
const file = join(tmpdir(), 'draft.txt');
const nowhere = 'postgres://nobody@127.0.0.1:1/none';
const serve = () => Bun.serve({ port: 0, hostname: '127.0.0.1', fetch: () => new Response() });
`;

/** Runs a file with one test that does this; what it says, and how it ends. */
const runFile = async (name: string, work: string) => {
  const path = join(folder, `${name}.test.ts`);
  await Bun.write(path, `${head}test('passes', async () => { ${work} });`);
  const child = Bun.spawn(['bun', 'test', `--preload=${support}/left-behind.ts`, path], {
    env: { ...process.env, TMPDIR: folder },
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  const said = await new Response(child.stderr).text();
  return { exitCode: await child.exited, said };
};

const leaving: [string, string, RegExp][] = [
  ['file', `writeFileSync(file, 'x')`, /leaves behind: file \S+draft\.txt$/m],
  [
    'server',
    `console.error('It is on port', serve().port)`,
    /leaves behind: a server on port \d+$/m,
  ],
  [
    'process',
    `const child = Bun.spawn(['sleep', '600'], { stdio: ['ignore', 'ignore', 'ignore'] });
    child.unref();
    console.error('It is process', child.pid);`,
    /leaves behind: process \d+: sleep 600$/m,
  ],
  ['runner', `runnerOn(nowhere, [])`, /leaves behind: 1 runners of jobs$/m],
];

test.concurrent.each(leaving)(
  'a file that leaves a %s fails, and says so',
  async (name, work, words) => {
    const { exitCode, said } = await runFile(name, work);
    const [, pid] = /It is process (\d+)/.exec(said) ?? [];
    if (pid) process.kill(Number(pid));
    expect(said).toContain('(pass) passes');
    expect(said).toMatch(words);
    const [, port] = /It is on port (\d+)/.exec(said) ?? [];
    if (port) expect(said).toContain(`a server on port ${port}\n`);
    expect(exitCode).toBe(1);
  },
);

test.concurrent('a file that removes, stops and ends what it made passes', async () => {
  const { exitCode, said } = await runFile(
    'clean',
    `writeFileSync(file, 'x'); rmSync(file);
    await serve().stop(true);
    await Bun.spawn(['true']).exited;
    await runnerOn(nowhere, []).stop();`,
  );
  expect(said).not.toContain('leaves behind');
  expect(said).toContain('1 pass');
  expect(exitCode).toBe(0);
});
