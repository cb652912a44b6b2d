/** By which address failed authentication is counted (README, Settings: TRUSTED_PROXIES). */
import { describe, expect, test } from 'bun:test';
import { readSettings } from '../../src/config.ts';
import { caller, startTestServer } from '../support/firm.ts';

const start = async (trusted: string) => {
  const environment = { RATE_LIMIT: '20/600', TRUSTED_PROXIES: trusted };
  const { url } = await startTestServer({ environment });
  /** Fails as the caller whom the proxies name; returns the status. */
  const failAs = async (forwardedFor?: string) => {
    const headers: Record<string, string> = forwardedFor ? { 'x-forwarded-for': forwardedFor } : {};
    return (await caller(url, 'wrong').get('/v1/leads', headers)).status;
  };
  /** Fails so often that another failure of the same caller is refused. */
  const spend = async (forwardedFor?: string) => {
    for (let call = 0; call < 20; call += 1) expect(await failAs(forwardedFor)).toBe(401);
    expect(await failAs(forwardedFor)).toBe(429);
  };
  return { failAs, spend };
};

describe('Failed authentication is counted', () => {
  test('by the connection, whatever X-Forwarded-For says, where no proxy is trusted', async () => {
    const { failAs, spend } = await start('');
    await spend('203.0.113.1');
    expect(await failAs('203.0.113.2')).toBe(429);
    expect(await failAs()).toBe(429);
  });

  test('by the connection where another one is the trusted proxy', async () => {
    const { failAs, spend } = await start('192.0.2.1, 10.0.0.0/8, ::1');
    await spend('203.0.113.1');
    expect(await failAs('203.0.113.2')).toBe(429);
  });

  test('by the last address in X-Forwarded-For that is no trusted proxy', async () => {
    const { failAs, spend } = await start('127.0.0.0/8,10.0.0.0/8, fd00::/8');
    await spend('203.0.113.1');
    // Nothing that the caller writes before it makes another caller, and no further proxy does.
    for (const same of [
      ...['198.51.100.7, 203.0.113.1', 'rubbish, 203.0.113.1', '203.0.113.1, 10.1.2.3'],
      ...['203.0.113.1:4711', '::ffff:203.0.113.1', '203.0.113.1,fd12::7,10.0.0.1'],
    ])
      expect({ same, status: await failAs(same) }).toEqual({ same, status: 429 });
    for (const other of ['203.0.113.2', '203.0.113.1, 203.0.113.3'])
      expect({ other, status: await failAs(other) }).toEqual({ other, status: 401 });
    // What is no address ends the row: the proxy that passed it on is taken.
    await spend('rubbish');
    expect(await failAs()).toBe(429);
    expect(await failAs('203.0.113.4, rubbish')).toBe(429);
    expect(await failAs('203.0.113.4')).toBe(401);
  });

  test('of IPv6 by the /64, which one caller has to itself', async () => {
    const { failAs, spend } = await start('127.0.0.1');
    await spend('2001:db8:1:2:3:4:5:6');
    for (const same of ['2001:db8:1:2::', '2001:0DB8:1:2:ffff::1', '[2001:db8:1:2::9]:443'])
      expect({ same, status: await failAs(same) }).toEqual({ same, status: 429 });
    for (const other of ['2001:db8:1:3::1', '2001:db8::1', '::1', '2001:db8:1::2'])
      expect({ other, status: await failAs(other) }).toEqual({ other, status: 401 });
  });
});

test('TRUSTED_PROXIES that is wrong is refused in one sentence', () => {
  for (const text of ['x', '10.0.0.0/33', '10.0.0.0/', '10.0.0/8', '::1/129', '1.2.3.4/8/8']) {
    expect(() => readSettings({ TRUSTED_PROXIES: text })).toThrow(
      'TRUSTED_PROXIES must be addresses or networks with commas between them, for example 10.0.0.0/8, ::1.',
    );
  }
});
