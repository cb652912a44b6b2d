/** A program may send a file without a name. */
import { expect, test } from 'bun:test';
import { makeFirm, owner, startTestServer } from '../support/firm.ts';
import { sessionOf } from '../support/session.ts';

const server = await startTestServer();

test('A file without a name is taken, and called file.csv', async () => {
  const firm = await makeFirm(server);
  const token = await sessionOf(server, firm, owner);
  const part = (name: string, head: string, text: string) =>
    `--X\r\nContent-Disposition: form-data; name="${name}"${head}\r\n\r\n${text}\r\n`;
  const file = '; filename=""\r\nContent-Type: text/csv';
  const answer = await fetch(`${server.url}/settings/imports`, {
    method: 'POST',
    redirect: 'manual',
    headers: {
      accept: 'text/html',
      cookie: `__Host-session=${token}`,
      'sec-fetch-site': 'same-origin',
      origin: server.url,
      'content-type': 'multipart/form-data; boundary=X',
    },
    body: `${part('kind', '', 'contact')}${part('file', file, 'Last name\nQuill')}--X--\r\n`,
  });
  expect(answer.status).toBe(303);
  const page = await fetch(`${server.url}/settings/imports`, {
    headers: { accept: 'text/html', cookie: `__Host-session=${token}` },
  });
  expect(await page.text()).toContain('file.csv');
});
