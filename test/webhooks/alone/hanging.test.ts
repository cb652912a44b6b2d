import { expect, test } from 'bun:test';
import { ownDatabase } from '../../support/database.ts';
import { makeFirm } from '../../support/firm.ts';
import { startInstance } from '../../support/instances.ts';
import { believedFile, receiversAt, startReceiver } from '../../support/receiver.ts';

const environment = { ...receiversAt, NODE_EXTRA_CA_CERTS: believedFile() };
const path = '/v1/webhook-endpoints';

test('One that hangs and one that is slow hold up neither writes nor others', async () => {
  const databaseUrl = await ownDatabase();
  const { url } = await startInstance(databaseUrl, { environment });
  const { owner } = await makeFirm({ url, databaseUrl });
  const hangs = startReceiver(() => new Promise<Response>(() => {}));
  const slow = startReceiver(async () => {
    await Bun.sleep(3_000);
    return new Response(null, { status: 204 });
  });
  const quick = startReceiver();
  const types = ['lead.created'];
  const { id } = (await owner.post(path, { url: hangs.url, types })).body.data;
  await owner.post(path, { url: slow.url, types });
  await owner.post(path, { url: quick.url, types });
  const began = performance.now();
  for (let n = 0; n < 20; n += 1) {
    expect((await owner.post('/v1/leads', { lastName: `Roe ${n}` })).status).toBe(201);
  }
  await quick.until(20);
  // The first that hangs has not even been given up.
  expect(performance.now() - began).toBeLessThan(15_000);
  await slow.until(20);
  for (;;) {
    const [tried] = (await owner.get(`${path}/${id}/deliveries`)).body.data;
    if (!tried) await Bun.sleep(100);
    else {
      expect(tried).toMatchObject({ answer: null, failure: 'timeout', isLast: false });
      expect(tried.milliseconds).toBeGreaterThan(14_000);
      break;
    }
  }
});
