import { expect, test } from 'bun:test';
import { takeClock } from '../support/clock.ts';
import { connect, ownDatabase } from '../support/database.ts';
import { owner as ada, type Caller, makeFirm, startTestServer } from '../support/firm.ts';
import { receiversAt, startReceiver } from '../support/receiver.ts';

const databaseUrl = await ownDatabase();
const clock = await takeClock(databaseUrl);
const server = await startTestServer({ databaseUrl, environment: receiversAt });
const sql = connect(databaseUrl);

const path = '/v1/webhook-endpoints';
const types = ['lead.created', 'lead.updated'];
const refuses =
  (status: number, headers = {}) =>
  () =>
    new Response(null, { status, headers });

const endpointFor = async (by: Caller, url: string) =>
  (await by.post(path, { url, types })).body.data.id as string;

const leadNamed = async (by: Caller, lastName: string) =>
  (await by.post('/v1/leads', { lastName })).body.data.id as string;

/** Waits until all that came of so many tries is stored, and the endpoint's turn is over. */
const untilTried = async (id: string, count: number) => {
  for (;;) {
    const [found] = await sql`
      select (select count(*)::int from webhook_delivery where endpoint_id = ${id}) as tries,
        turn_ends_at is null as "isOver" from webhook_sending where endpoint_id = ${id}`;
    if (found?.tries >= count && found?.isOver) {
      expect(found?.tries).toBe(count);
      return;
    }
    await Bun.sleep(10);
  }
};

/** In how many seconds each waiting message is tried again, in their order. */
const pauses = async (id: string) =>
  (
    await sql`
      select extract(epoch from next_try_at - moment())::float8 as seconds from webhook_message
      where endpoint_id = ${id} order by seal_number`
  ).map(({ seconds }) => Math.round(seconds));

const stateOf = async (by: Caller, id: string) => {
  const { status, reason } = (await by.get(`${path}/${id}`)).body.data;
  return { status, reason };
};

/** In how many seconds a server looks at the endpoint again. */
const nextTurn = async (id: string) => {
  const [job] =
    await sql`select extract(epoch from run_at - moment())::float8 as seconds from job where ref = ${id}`;
  return Math.round(job?.seconds);
};

const toldOf = async (firm: Awaited<ReturnType<typeof makeFirm>>) => {
  const notices = await firm.command<{ kind: string }[]>(['inbox', '--member', ada]);
  return notices.filter(({ kind }) => kind === 'webhook.paused').length;
};

test('A message is tried again after growing pauses; after a day without success the endpoint is paused, and a probe an hour resumes it, with nothing lost', async () => {
  const firm = await makeFirm(server);
  const receiver = startReceiver(refuses(500));
  const id = await endpointFor(firm.owner, receiver.url);
  const roe = await leadNamed(firm.owner, 'Roe');
  let tries = 1;
  for (const seconds of [5, 300, 1_800, 7_200, 18_000, 36_000]) {
    await untilTried(id, tries);
    expect(await pauses(id)).toEqual([seconds]);
    expect(await stateOf(firm.owner, id)).toEqual({ status: 'ACTIVE', reason: null });
    await clock.step(seconds);
    tries += 1;
  }
  await untilTried(id, tries);
  await clock.step(36_000);
  tries += 1;
  await untilTried(id, tries);
  while ((await stateOf(firm.owner, id)).status === 'ACTIVE') await Bun.sleep(10);
  expect(await stateOf(firm.owner, id)).toEqual({ status: 'PAUSED', reason: 'FAILING' });
  expect(await toldOf(firm)).toBe(1);
  // What happens meanwhile is not tried, but waits in the log.
  await firm.owner.patch(`/v1/leads/${roe}`, { value: 'HIGH' });
  await leadNamed(firm.owner, 'Doe');
  await clock.step(3_600);
  tries += 1;
  await untilTried(id, tries);
  expect(await stateOf(firm.owner, id)).toEqual({ status: 'PAUSED', reason: 'FAILING' });
  expect(receiver.arrived).toHaveLength(tries);
  receiver.answer(refuses(204));
  await clock.step(3_600);
  const arrived = await receiver.until(tries + 3);
  expect(new Set(arrived.map((one) => one.id)).size).toBe(3);
  const ofRoe = arrived.slice(tries).filter(({ event }) => event.data.id === roe);
  expect(ofRoe.map(({ event }) => event.type)).toEqual(['lead.created', 'lead.updated']);
  await untilTried(id, tries + 3);
  expect(await stateOf(firm.owner, id)).toEqual({ status: 'ACTIVE', reason: null });
  expect(await pauses(id)).toEqual([]);
});

test('What waits holds up its own record alone, whose messages keep their order', async () => {
  const { owner } = await makeFirm(server);
  let isBroken = true;
  let roe = '';
  const receiver = startReceiver(({ event }) =>
    refuses(isBroken && event.data.id === roe ? 500 : 204)(),
  );
  const id = await endpointFor(owner, receiver.url);
  roe = await leadNamed(owner, 'Roe');
  await untilTried(id, 1);
  await owner.patch(`/v1/leads/${roe}`, { value: 'HIGH' });
  const doe = await leadNamed(owner, 'Doe');
  // The clock stands still: nothing is waited for.
  await receiver.until(1, ({ event }) => event.data.id === doe);
  // Whoever resumes while something is sent has it sent again.
  await untilTried(id, 2);
  isBroken = false;
  await owner.post(`${path}/${id}/resume`, undefined);
  await receiver.until(1, ({ event }) => event.type === 'lead.updated');
  const ofRoe = receiver.arrived.filter(({ event }) => event.data.id === roe);
  expect(ofRoe.at(-1)?.event.type).toBe('lead.updated');
  expect(ofRoe.slice(0, -1).every(({ event }) => event.type === 'lead.created')).toBe(true);
  expect(ofRoe).toHaveLength(3);
});

test('Of many that wait, those that are refused hold up none about another record', async () => {
  const { owner } = await makeFirm(server);
  const bad = new Set<string>();
  const receiver = startReceiver(({ event }) => refuses(bad.has(event.data.id) ? 500 : 204)());
  const id = await endpointFor(owner, receiver.url);
  await owner.post(`${path}/${id}/pause`, undefined);
  for (let n = 0; n < 45; n += 1) {
    const lead = await leadNamed(owner, `Roe ${n}`);
    if (n % 3 === 0) bad.add(lead);
  }
  await owner.post(`${path}/${id}/resume`, undefined);
  await receiver.until(30, ({ event }) => !bad.has(event.data.id));
  await untilTried(id, 45);
  expect(await pauses(id)).toEqual(Array.from(bad, () => 5));
  bad.clear();
  await clock.step(5);
  await untilTried(id, 60);
});

test('A receiver that refuses all is tried again in turns: no more than two of them before a rest', async () => {
  const { owner } = await makeFirm(server);
  const [receiver, witness] = [startReceiver(refuses(204)), startReceiver()];
  const id = await endpointFor(owner, receiver.url);
  await endpointFor(owner, witness.url);
  const paused = await owner.post(`${path}/${id}/pause`, undefined);
  expect(paused.status).toBe(200);
  const after = (await owner.get('/v1/events')).body.cursor;
  for (let n = 0; n < 12; n += 1) await leadNamed(owner, `Roe ${n}`);
  const told = () => owner.get(`/v1/events?after=${after}&types=lead.created`);
  // Other endpoints' transactions may hold up the seals.
  while ((await told()).body.data.length < 12) await Bun.sleep(10);
  receiver.answer(refuses(500));
  await owner.post(`${path}/${id}/resume`, undefined);
  // Those that are on their way at once, and one more.
  await untilTried(id, 5);
  // What happens during the rest waits for its end.
  const doe = await leadNamed(owner, 'Doe');
  await witness.until(1, ({ event }) => event.data.id === doe);
  await untilTried(id, 5);
  receiver.answer(refuses(204));
  await clock.step(5);
  await untilTried(id, 5 + 13);
});

test('Retry-After is heeded, and holds all messages of the endpoint', async () => {
  const { owner } = await makeFirm(server);
  const receiver = startReceiver(refuses(429, { 'retry-after': '900' }));
  const id = await endpointFor(owner, receiver.url);
  await leadNamed(owner, 'Roe');
  await untilTried(id, 1);
  receiver.answer(refuses(204));
  await leadNamed(owner, 'Doe');
  await clock.step(890);
  const [held] = await sql`
    select extract(epoch from held_until - moment())::float8 as seconds from webhook_sending where endpoint_id = ${id}`;
  expect(Math.round(held?.seconds)).toBe(10);
  expect(receiver.arrived).toHaveLength(1);
  // It runs, because the server may be about to wait for the ten seconds that are left.
  await clock.run(20);
  await receiver.until(3);
  await clock.run(0);
  await untilTried(id, 3);
  // Nothing waits, and it is left alone no longer: nobody looks at it for hours.
  expect(await nextTurn(id)).toBeGreaterThan(3_600);
});

test('What cannot be sealed, because an older transaction goes on, is sent when that has ended', async () => {
  const { owner } = await makeFirm(server);
  const receiver = startReceiver(refuses(204));
  const id = await endpointFor(owner, receiver.url);
  await leadNamed(owner, 'Roe');
  await untilTried(id, 1);
  const older = await sql.reserve();
  await older`begin`;
  await older`select pg_current_xact_id()`;
  await leadNamed(owner, 'Doe');
  await Bun.sleep(1_500);
  expect(receiver.arrived).toHaveLength(1);
  await older`commit`;
  older.release();
  await receiver.until(2);
  await untilTried(id, 2);
});
