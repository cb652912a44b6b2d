/** `npm test` gives no second chance: a file that failed, fails the run, however it does afterwards. */
import { afterAll, expect, test } from 'bun:test';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const folder = mkdtempSync(join(tmpdir(), 'second-'));
afterAll(() => rmSync(folder, { recursive: true }));

/** Runs a file with one test that passes, and one that fails the first time only. */
const runOnce = async (name: string, environment: Record<string, string>) => {
  const path = join(folder, `${name}.test.ts`);
  await Bun.write(
    path,
    `import { expect, test } from 'bun:test';
    test('passes', () => {});
    test('fails by chance', async () => {
      const mark = Bun.file('${path}.mark');
      const wasHere = await mark.exists();
      await Bun.write(mark, '');
      expect(wasHere).toBe(true);
    });`,
  );
  // It starts a Postgres of its own, which nobody else uses: what it left there is its own.
  const { TEST_DATABASE_URL: _, TMPDIR: __, CI: ___, ...inherited } = process.env;
  const child = Bun.spawn(['bun', join(import.meta.dir, '../../run.ts'), path], {
    env: { ...inherited, ...environment },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const [out, err] = await Promise.all([
    new Response(child.stdout).text(),
    new Response(child.stderr).text(),
  ]);
  return { exitCode: await child.exited, out, err };
};

test('a file that fails, and passes in the second run, fails the run', async () => {
  const { exitCode, out, err } = await runOnce('twice', { CI: 'true' });
  expect(err).toContain('fails by chance');
  expect(err).toMatch(/By themselves:\n {2}\S+twice\.test\.ts passed: it fails by chance/);
  expect({ exitCode, last: out.trim().split('\n').at(-1) }).toEqual({
    exitCode: 1,
    last: '1 passed, 1 failed',
  });
});

test('where CI is not set, there is no second run', async () => {
  const { exitCode, out, err } = await runOnce('once', {});
  expect(err).not.toContain('By themselves');
  expect({ exitCode, last: out.trim().split('\n').at(-1) }).toEqual({
    exitCode: 1,
    last: '1 passed, 1 failed',
  });
});
