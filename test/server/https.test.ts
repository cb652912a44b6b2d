/** The server speaks HTTPS itself: every door answers as over HTTP, whatever a client calls it. */
import { describe, expect, test } from 'bun:test';
import { certificateFiles } from '../support/certificate.ts';
import { ask, askEveryDoor, keysFrom } from '../support/every-door.ts';
import { makeFirm, owner, startTestServer } from '../support/firm.ts';
import { freePort, startInstance } from '../support/instances.ts';
import { sessionOf } from '../support/session.ts';

const { environment } = certificateFiles();

const cookieFor = async (
  server: { databaseUrl: string },
  firm: Awaited<ReturnType<typeof makeFirm>>,
) => `__Host-session=${await sessionOf(server, firm, owner)}`;

describe('Every door', () => {
  for (const [scheme, settings] of [
    ['http', {}],
    ['https', environment],
  ] as const) {
    test(`answers over ${scheme} under a host of one letter, an IPv6 address, with a port and without, and without a Host`, async () => {
      const server = await startTestServer({ environment: settings });
      const firm = await makeFirm(server);
      const keys = await keysFrom(server.url, firm.owner.key, await cookieFor(server, firm));
      const { answered, expected } = await askEveryDoor(server.url, keys);
      expect(server.url).toStartWith(`${scheme}://`);
      expect(answered).toEqual(expected);
    });
  }

  test('is there in the program as it is started, whose metrics count it', async () => {
    const { databaseUrl } = await startTestServer();
    const firm = await makeFirm({ url: '', databaseUrl });
    const metrics = `127.0.0.1:${await freePort()}`;
    const instance = await startInstance(databaseUrl, {
      environment: { ...environment, METRICS_ADDRESS: metrics },
    });
    const cookie = await cookieFor({ databaseUrl }, firm);
    const keys = await keysFrom(instance.url, firm.owner.key, cookie);
    const { answered, expected } = await askEveryDoor(instance.url, keys);
    expect(answered).toEqual(expected);
    const text = await (await ask(`http://${metrics}/metrics`)).text();
    expect(text).toMatch(/route="\/v1\/leads\/:id"/);
    await instance.stop();
  });
});
