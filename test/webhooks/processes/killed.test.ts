import { expect, test } from 'bun:test';
import { ownDatabase } from '../../support/database.ts';
import { caller, makeFirm } from '../../support/firm.ts';
import { startInstance } from '../../support/instances.ts';
import { believedFile, receiversAt, startReceiver } from '../../support/receiver.ts';

const environment = { ...receiversAt, NODE_EXTRA_CA_CERTS: believedFile() };
const path = '/v1/webhook-endpoints';

test('Several instances: each message is sent by one of them; what one that is killed had under way is sent by another', async () => {
  const databaseUrl = await ownDatabase();
  const instances = await Promise.all(
    [1, 2, 3].map(() => startInstance(databaseUrl, { environment })),
  );
  const [first, second, third] = instances.map(({ url }) => ({ url, databaseUrl }));
  if (!first || !second || !third) throw new Error('Three were started.');
  const { owner } = await makeFirm(first);
  const receiver = startReceiver();
  const types = ['lead.created'];
  expect((await owner.post(path, { url: receiver.url, types })).status).toBe(201);
  const ofSecond = caller(second.url, owner.key);
  for (let n = 0; n < 15; n += 1) {
    for (const by of [owner, ofSecond]) await by.post('/v1/leads', { lastName: `Roe ${n}` });
  }
  const arrived = await receiver.until(30);
  expect(new Set(arrived.map(({ id }) => id)).size).toBe(30);

  // The answer is held back, so that whoever sends has it under way when all but one are killed.
  const held = Promise.withResolvers<void>();
  receiver.answer(async () => {
    await held.promise;
    return new Response(null, { status: 204 });
  });
  const { id } = (await owner.post('/v1/leads', { lastName: 'Under way' })).body.data;
  await receiver.until(1, ({ event }) => event.data.id === id);
  await Promise.all(instances.map((one) => one.kill()));
  receiver.answer(() => new Response(null, { status: 204 }));
  held.resolve();
  await startInstance(databaseUrl, { environment });
  const again = await receiver.until(2, ({ event }) => event.data.id === id);
  expect(again[1]?.id).toBe(again[0]?.id as string);
  expect(receiver.arrived).toHaveLength(32);
});
