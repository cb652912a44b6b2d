import { expect, test } from 'bun:test';
import { makeFirm, startTestServer } from '../../support/firm.ts';

const server = await startTestServer();

test('An API key is never in the log, in whatever text it stands', async () => {
  const { owner: ada } = await makeFirm(server);
  const texts = [
    ada.key,
    `Bearer ${ada.key}`,
    `Bearer%20${ada.key}&x`,
    `first line\n${ada.key}\n`,
    `tab\t${ada.key}\tend`,
    `x${ada.key}x`,
    `"${ada.key}"`,
  ];
  const program = `
    import { describeError, log } from './src/base/log.ts';
    for (const text of ${JSON.stringify(texts)}) {
      log('error', text, { text, deep: { [text]: [text] }, ...describeError(new Error(text)) });
    }`;
  const child = Bun.spawn(['bun', '-e', program], {
    cwd: `${import.meta.dir}/../../..`,
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const logged = (await child.stderr.text()) + (await child.stdout.text());
  expect(await child.exited).toBe(0);
  expect(logged.trim().split('\n')).toHaveLength(texts.length);
  expect(logged).toContain('mh_***');
  expect(logged).not.toContain(ada.key.slice(3));
});
