import { expect, test } from 'bun:test';
import { ownDatabase } from '../../support/database.ts';
import { caller, makeFirm } from '../../support/firm.ts';
import { startInstance } from '../../support/instances.ts';

test('a server that stops does not have those who follow ask all the time', async () => {
  const databaseUrl = await ownDatabase();
  const server = await startInstance(databaseUrl);
  const firm = await makeFirm({ url: server.url, databaseUrl });
  const ada = caller(server.url, firm.owner.key);
  const answers: { status: number; pause: string | null }[] = [];
  const begin = async (): Promise<string> => (await ada.get('/v1/events')).body.cursor;
  const follow = async (begun: string) => {
    let cursor = begun;
    for (;;) {
      const answer = await ada.get(`/v1/events?after=${cursor}&wait=25`).catch(() => undefined);
      if (!answer) return;
      const pause = answer.headers.get('retry-after');
      cursor = answer.body.cursor ?? cursor;
      // What was stored just before may come after a cursor for now.
      if (answer.body.data?.length > 0) continue;
      answers.push({ status: answer.status, pause });
      if (pause) await Bun.sleep(Number(pause) * 1000);
    }
  };
  // All have begun: a server that stops gives nobody a first cursor.
  const followers = (await Promise.all([begin(), begin(), begin()])).map(follow);
  await Bun.sleep(500);
  expect((await server.stop()).exitCode).toBe(0);
  await Promise.all(followers);
  // Each was answered once, and then told to wait, if it was answered at all.
  const told = answers.filter(({ status }) => status === 200);
  expect(told.length).toBeLessThanOrEqual(3);
  for (const { status, pause } of answers)
    expect([status, pause]).toEqual(status === 200 ? [200, null] : [503, '1']);
});
