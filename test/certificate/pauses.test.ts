/** How long a server waits that is to take its certificate, and what it says of a refusal. */
import { expect, test } from 'bun:test';
import { isTaken } from '../../src/base/certificate-settings.ts';
import { waitIn } from '../../src/certificate/directory.ts';
import { refusedBy, wordsOfRefused } from '../../src/certificate/refused.ts';
import {
  beginTry,
  endPause,
  keepRefused,
  readStanding,
  takeBackTry,
} from '../../src/certificate/stored.ts';
import { readSettings } from '../../src/config.ts';
import { takeClock } from '../support/clock.ts';
import { onDatabase, ownDatabase } from '../support/database.ts';

const databaseUrl = await ownDatabase();
const clock = await takeClock(databaseUrl);

const acmeOf = (name: string) => {
  const { tls } = readSettings({ TLS_ACME: name });
  if (!isTaken(tls)) throw new Error('There is no name.');
  return tls;
};

test('one of several instances begins a try; another one may when its time is over, and each is counted', async () => {
  await onDatabase(databaseUrl, async (database) => {
    const acme = acmeOf('practice-1.example');
    const begin = () => beginTry(database, acme, false);
    const begun = await Promise.all([begin(), begin(), begin()]);
    expect(begun.filter((one) => one !== undefined)).toEqual([1]);
    await clock.step(149);
    expect(await begin()).toBeUndefined();
    await clock.step(2);
    expect(await begin()).toBe(2);
    // A server that is stopped in the middle has not tried.
    await takeBackTry(database, acme);
    expect(await begin()).toBe(2);
  });
});

test('a pause ends at once for who asks for it, unless the directory wants to be left alone', async () => {
  await onDatabase(databaseUrl, async (database) => {
    const acme = acmeOf('practice-2.example');
    const begin = () => beginTry(database, acme, false);
    expect(await begin()).toBe(1);
    await keepRefused(database, acme, { kind: 'unreached', detail: '' }, 3_600);
    expect(await begin()).toBeUndefined();
    await endPause(database, acme);
    expect(await begin()).toBe(2);
    // Nobody hurries a try that is under way.
    await endPause(database, acme);
    expect(await begin()).toBeUndefined();

    const refused = { kind: 'rateLimited', detail: 'too many', waitSeconds: 7_200 } as const;
    await keepRefused(database, acme, refused, 60);
    const now = await clock.now();
    await endPause(database, acme);
    expect(await begin()).toBeUndefined();
    const { nextTryAt, refused: kept } = (await readStanding(database, acme)) ?? {};
    expect(kept).toEqual(refused);
    expect(Number(nextTryAt) - now).toBe(7_200_000);
    await clock.step(7_200);
    expect(await begin()).toBe(3);

    // No directory keeps a server waiting for longer than a week.
    await keepRefused(database, acme, { ...refused, waitSeconds: 1e9 }, 60);
    const next = (await readStanding(database, acme))?.nextTryAt;
    expect(Number(next) - (await clock.now())).toBe(7 * 86_400_000);
  });
});

test('another name, or another directory, does not wait for the refusal of the one before', async () => {
  await onDatabase(databaseUrl, async (database) => {
    const acme = acmeOf('practice-3.example');
    expect(await beginTry(database, acme, false)).toBe(1);
    await keepRefused(database, acme, { kind: 'rateLimited', detail: '', waitSeconds: 9_000 }, 60);
    const other = { ...acme, directory: 'https://other.example/dir' };
    expect(await beginTry(database, other, false)).toBe(1);
    expect(await beginTry(database, acmeOf('practice-4.example'), false)).toBe(1);
  });
});

test('Retry-After is read as seconds and as a day, and nothing else', () => {
  const read = (text: string) => waitIn(new Headers({ 'retry-after': text }));
  expect(read('120')).toBe(120);
  expect(read(new Date(Date.now() + 60_000).toUTCString())).toBeWithin(58, 62);
  expect(read(new Date(0).toUTCString())).toBe(0);
  expect(read('soon')).toBeUndefined();
  expect(waitIn(new Headers())).toBeUndefined();
});

test('every refusal is told in whole sentences, and nothing in them acts on a terminal', () => {
  const acme = acmeOf('practice.example');
  for (const type of [
    ...['dns', 'connection', 'unauthorized', 'incorrectResponse', 'caa', 'rateLimited'],
    ...['rejectedIdentifier', 'serverInternal', 'malformed', 'userActionRequired', ''],
  ]) {
    for (const detail of ['No such thing. Sorry.', undefined]) {
      const refused = refusedBy({
        type: `urn:ietf:params:acme:error:${type}`,
        ...(detail && { detail }),
      });
      const { what, do: todo } = wordsOfRefused(refused, acme);
      for (const sentence of [what, todo]) {
        expect(sentence).toMatch(/^[A-Z].*[^.]\.$/);
        expect(sentence).not.toMatch(/undefined|\(\)/);
      }
      expect(what).toMatch(/practice\.example|acme-v02\.api\.letsencrypt\.org/);
    }
  }
});
