/** Each way in has a limit of its own, and who sends many passwords waits behind the others. */
import { expect, test } from 'bun:test';
import { openBrowser } from '../support/cookie-jar.ts';
import { ownDatabase } from '../support/database.ts';
import { startTestServer } from '../support/firm.ts';

const databaseUrl = await ownDatabase();

test('an office behind one address is not stopped after a few passkeys, nor by wrong passwords or dead links', async () => {
  const server = await startTestServer({ databaseUrl, environment: { RATE_LIMIT: '20/600' } });
  const browser = openBrowser(server.url.replace('127.0.0.1', 'localhost'));
  const statusOf = async (path: string, body: Record<string, string>) =>
    (await browser.send(path, body)).status;
  const link = `/welcome/${'A'.repeat(43)}`;
  for (let person = 0; person < 60; person += 1) {
    expect(await statusOf('/sign-in?form=/leads/new', { lastName: 'Roe' })).toBe(200);
    expect(await statusOf('/sign-in/passkey/challenge', {})).toBe(200);
    expect(await statusOf('/sign-in/passkey', { answer: '{}' })).toBe(422);
    expect(await statusOf(link, { password: 'wet-stones-by-the-river' })).not.toBe(429);
  }
  const early = await browser.send('/sign-in', { email: 'a@b.example', password: 'wrong' });
  expect(early.status).toBe(422);
});

test('a hundred guesses at once from one address refuse nobody at another', async () => {
  const server = await startTestServer({
    databaseUrl,
    environment: { RATE_LIMIT: 'off', TRUSTED_PROXIES: '127.0.0.1' },
  });
  const done: string[] = [];
  const guess = async (address: string, person: number) => {
    const browser = openBrowser(server.url, { 'x-forwarded-for': address });
    const fields = { email: `p${person}.${address}@x.example`, password: 'a wrong password' };
    const { status } = await browser.send('/sign-in', fields);
    done.push(`${address} ${status}`);
    return status;
  };
  const flood = Array.from({ length: 100 }, (_, person) => guess('192.0.2.1', person));
  await Promise.race(flood);
  expect(await guess('198.51.100.1', 0)).toBe(422);
  const before = done.filter((one) => one === '192.0.2.1 422').length;
  const statuses = await Promise.all(flood);
  expect(statuses.filter((status) => status === 429).length).toBeGreaterThan(0);
  // Those who stood in line at the same address were not all served first.
  expect(before).toBeLessThan(statuses.filter((status) => status === 422).length);
});
