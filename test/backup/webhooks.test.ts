/** Webhooks after a restore: what was due is sent, and what their secrets need is said. */
import { expect, test } from 'bun:test';
import { join } from 'node:path';
import { type InstallationKey, makeInstallationKey } from '../../src/base/installation-key.ts';
import { readSettings } from '../../src/config.ts';
import { startServer } from '../../src/server.ts';
import { atEnd } from '../support/at-end.ts';
import { ownFolder } from '../support/backup.ts';
import { emptyDatabase, ownDatabase } from '../support/database.ts';
import { caller, makeFirm } from '../support/firm.ts';
import { receiversAt, startReceiver } from '../support/receiver.ts';
import { environmentOf } from '../support/roles.ts';
import { run } from '../support/terminal.ts';

const folder = await ownFolder();
const hooks = '/v1/webhook-endpoints';

type Key = InstallationKey & { file: string };

const start = (databaseUrl: string, key: Key) => {
  const settings = readSettings({
    ...{ RATE_LIMIT: 'off', DATABASE_CONNECTIONS: '5', DRAIN_SECONDS: '0', ...receiversAt },
    ...environmentOf(databaseUrl),
  });
  const where = { host: '127.0.0.1', port: 0 };
  const server = startServer(settings.database ?? '', settings, where, { key, keyFile: key.file });
  let isStopped = false;
  const stop = async () => {
    if (!isStopped) await server.stop();
    isStopped = true;
  };
  atEnd(stop);
  return { url: server.url, databaseUrl, stop };
};

const ofKey = ({ file }: Key) => ({ INSTALLATION_KEY: file });

const doctorOf = async (databaseUrl: string, key: Key) =>
  (await run(databaseUrl, ['doctor'], '', ofKey(key))).out;

test('A restored firm sends what was due and nothing that had arrived; with another key it sends nothing, and doctor says what to do', async () => {
  const [key, another] = ['own', 'another'].map((name) =>
    makeInstallationKey(join(folder, `${name}.key`)),
  ) as [Key, Key];
  const first = start(await ownDatabase(), key);
  const firm = await makeFirm(first);
  const receiver = startReceiver();
  const types = ['lead.created'];
  const { id } = (await firm.owner.post(hooks, { url: receiver.url, types })).body.data;
  await firm.owner.post('/v1/leads', { lastName: 'Arrived' });
  await receiver.until(1);
  receiver.answer(() => new Response(null, { status: 503 }));
  await firm.owner.post('/v1/leads', { lastName: 'Due' });
  const [, due] = await receiver.until(2);
  // Its next try is after the server has stopped, so the backup is of a firm with a message that waits.
  await first.stop();
  const tried = receiver.arrived.length;
  const file = join(folder, 'webhooks');
  expect(await run(first.databaseUrl, ['backup', file], '', ofKey(key))).toMatchObject({
    exitCode: 0,
  });

  const restored = async () => {
    const databaseUrl = await emptyDatabase();
    expect(await run(databaseUrl, ['restore', file], '', ofKey(key))).toMatchObject({
      exitCode: 0,
    });
    return databaseUrl;
  };
  receiver.answer(() => new Response(null, { status: 204 }));

  // Nobody does anything: what was due comes, and then what is new.
  const home = start(await restored(), key);
  await receiver.until(tried + 1);
  await caller(home.url, firm.owner.key).post('/v1/leads', { lastName: 'Later' });
  const came = (await receiver.until(tried + 2)).slice(tried);
  expect(came[0]?.id).toBe(due?.id as string);
  expect(came[1]?.id).not.toBe(due?.id as string);
  await home.stop();
  expect(receiver.arrived).toHaveLength(tried + 2);

  const elsewhere = await restored();
  expect(await doctorOf(elsewhere, key)).not.toContain('1 webhook');
  expect(await doctorOf(elsewhere, another)).toContain(
    'The secret of 1 webhook is sealed with a key that is not here: nothing is sent to it.',
  );
  const foreign = start(elsewhere, another);
  const ada = caller(foreign.url, firm.owner.key);
  for (let state = ''; state !== 'SECRET'; ) {
    await Bun.sleep(50);
    state = (await ada.get(`${hooks}/${id}`)).body.data.reason;
  }
  await foreign.stop();
  expect(await doctorOf(elsewhere, another)).toContain('matterhorn audit key --old FILE');
  const sealed = await run(elsewhere, ['audit', 'key', '--old', key.file], '', ofKey(another));
  expect(sealed.out).toContain('Secrets of webhooks sealed anew: 1.');
  expect(await doctorOf(elsewhere, another)).not.toContain('1 webhook');
  expect(receiver.arrived).toHaveLength(tried + 2);

  const again = start(elsewhere, another);
  await caller(again.url, firm.owner.key).post(`${hooks}/${id}/resume`, undefined);
  const last = (await receiver.until(tried + 3)).at(-1);
  expect(last?.id).toBe(due?.id as string);
  await again.stop();
  expect(receiver.arrived).toHaveLength(tried + 3);
});
