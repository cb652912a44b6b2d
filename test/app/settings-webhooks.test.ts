/** Settings, Webhooks: what a member changes there, sends again, and reads of the last and the next try. */

import { expect, test } from 'bun:test';
import { memberBrowser } from '../support/app.ts';
import { takeClock } from '../support/clock.ts';
import { ownDatabase } from '../support/database.ts';
import { attorney, makeFirm, owner, startTestServer } from '../support/firm.ts';
import { partsIn } from '../support/html.ts';
import { receiversAt, startReceiver } from '../support/receiver.ts';

const databaseUrl = await ownDatabase();
const clock = await takeClock(databaseUrl);
// It runs: what cannot be sealed at once, because another transaction is long, is looked for later.
await clock.run(1);
const server = await startTestServer({ databaseUrl, environment: receiversAt });

const settings = '/settings/webhooks';
const hooks = '/v1/webhook-endpoints';

const keepers = {
  roles: [
    { name: 'Attorney', permissions: ['leads:read', 'leads:write', 'keys:write'] },
    { name: 'Bookkeeper', permissions: ['contacts:read'] },
  ],
};

const ready = async () => {
  const firm = await makeFirm(server, keepers);
  const ada = await memberBrowser(server, firm, owner);
  const receiver = startReceiver();
  const asked = { url: receiver.url, types: ['lead.created'], description: 'Books' };
  const { id } = (await firm.owner.post(hooks, asked)).body.data as { id: string };
  const stored = async () => (await firm.owner.get(`${hooks}/${id}`)).body.data;
  return { firm, ada, receiver, stored, id, at: `${settings}/${id}` };
};

type Ready = Awaited<ReturnType<typeof ready>>;

/** The page, once it says this of the last and the next try. */
const untilSaid = async ({ ada, at }: Ready, words: RegExp) => {
  for (;;) {
    const { text } = await ada.get(at);
    const said = partsIn(text, 'dd').map((one) => one.text.replace(/\s+/g, ' ').trim());
    const found = said.find((one) => words.test(one));
    if (found) return found;
    await Bun.sleep(20);
  }
};

test('A webhook is changed: its address, its name and its events; what stays as it is is not judged anew', async () => {
  const { firm, ada, receiver, stored, id, at } = await ready();
  const page = (await ada.get(`${at}?do=change-webhook`)).text;
  const ticked = partsIn(page, '#change-webhook input[checked]');
  expect(ticked.map((one) => one.getAttribute('value'))).toEqual(['some', 'lead.created']);
  const next = startReceiver();
  const sent = await ada.send(at, [
    ['do', 'change-webhook'],
    ['url', next.url],
    ['description', 'Ledger'],
    ['hears', 'some'],
    ['types', 'lead.created'],
    ['types', 'contact.created'],
  ]);
  expect(sent.location).toContain(at);
  expect(await stored()).toMatchObject({
    ...{ id, url: next.url, description: 'Ledger', types: ['lead.created', 'contact.created'] },
  });
  await firm.owner.post('/v1/leads', { lastName: 'Roe' });
  await next.until(2);
  expect(receiver.arrived).toEqual([]);

  // Everything, whatever is still ticked below.
  await ada.send(at, { url: next.url, description: '', hears: 'all', types: 'lead.created' });
  expect(await stored()).toMatchObject({ description: null, types: ['*'] });

  const before = await stored();
  for (const [refused, words] of [
    [{ url: next.url, hears: 'some' }, 'at least one choice'],
    [{ url: next.url, hears: 'some', types: 'lead.vanished' }, 'must be some of'],
    [{ url: 'https://10.0.0.1/', hears: 'all' }, 'an address of the open internet'],
    [{ url: '', hears: 'all' }, 'Enter an address'],
  ] as const) {
    const answer = await ada.send(at, { do: 'change-webhook', description: 'X', ...refused });
    expect(answer.status).toBe(422);
    const said = partsIn(answer.text, '.refusal').map((one) => one.text);
    expect(said.join()).toContain(words);
  }
  expect(await stored()).toEqual(before);
});

test('The events that a key was good for stay those of its webhook, if only the address is changed', async () => {
  const { firm, ada } = await ready();
  const narrow = await firm.callerOf(owner, ['leads:read', 'webhooks:write']);
  const { data } = (await narrow.post(hooks, { url: startReceiver().url })).body;
  const next = startReceiver();
  const at = `${settings}/${data.id}`;
  await ada.send(at, { url: next.url, description: 'Narrow', hears: 'all' });
  await firm.owner.post('/v1/contacts', { type: 'COMPANY', companyName: 'Quill' });
  const lead = (await firm.owner.post('/v1/leads', { lastName: 'Roe' })).body.data;
  await next.until(1, ({ event }) => event.data.id === lead.id);
  expect(next.arrived.filter(({ event }) => event.data.resource === 'contacts')).toEqual([]);
});

test('Another member’s webhook is neither changed nor sent again to, though an owner sees it', async () => {
  const firm = await makeFirm(server, keepers);
  const [ada, ben] = await Promise.all(
    [owner, attorney].map((who) => memberBrowser(server, firm, who)),
  );
  const receiver = startReceiver();
  const types = [['hears', 'all']] as [string, string][];
  await ben?.send(settings, [['url', receiver.url], ['description', 'Ben’s'], ...types]);
  const { id } = (await firm.owner.get(hooks)).body.data[0];
  const at = `${settings}/${id}`;
  const shown = (await ada?.get(at))?.text ?? '';
  expect(shown).toContain('Ben’s');
  expect(partsIn(shown, '#change-webhook, #send-again')).toEqual([]);
  expect((await ada?.send(at, [['url', receiver.url], ...types]))?.status).toBe(403);
  expect((await ada?.send(`${at}/replay`, { since: 'all' }))?.status).toBe(403);
});

test('To change an address one proves who one is, as to make one', async () => {
  const { firm, at, stored } = await ready();
  const unproven = await memberBrowser(server, firm, owner, 'unproven');
  const before = await stored();
  const next = startReceiver();
  const sent = await unproven.send(at, { url: next.url, hears: 'all' });
  expect(sent.location ?? '').toContain('/settings/me/confirm');
  expect(await stored()).toEqual(before);
});

test('Each webhook says when it was last sent to, what came of it, what waits and when it is tried next', async () => {
  const one = await ready();
  const { firm, ada, receiver, at } = one;
  const host = new URL(receiver.url).host;
  await untilSaid(one, /^Nothing was sent in the last 30 days\.$/);
  await firm.owner.post('/v1/leads', { lastName: 'Roe' });
  await untilSaid(one, new RegExp(`^Last sent just now to ${host}: 204\\.$`));
  receiver.answer(() => new Response(null, { status: 503 }));
  await firm.owner.post('/v1/leads', { lastName: 'Doe' });
  // The first try after it is in five seconds; who looks late sees the next.
  await untilSaid(
    one,
    / 503, refused\. 1 message waits\. Next try in (under a minute|5 minutes)\.$/,
  );
  await untilSaid(one, / 503, refused\. 1 message waits\. Next try in 5 minutes\.$/);
  expect((await ada.get(settings)).text).toContain('Next try in 5 minutes.');
  await ada.send(`${at}/pause`, {});
  await untilSaid(one, / 1 message waits\. Next try when it is resumed\.$/);
  receiver.answer(() => new Response(null, { status: 204 }));
  await ada.send(`${at}/resume`, {});
  await untilSaid(one, /: 204\.$/);
});

test('A webhook that is deleted is named once it is gone', async () => {
  const { ada, at } = await ready();
  const { text } = await ada.send(`${at}/delete`, {}, { 'x-sent-by': 'page' });
  expect(JSON.parse(text).said.words).toBe('Webhook deleted: Books.');
  expect((await ada.get(at)).status).toBe(404);
  expect((await ada.send(`${at}/delete`, {})).status).toBe(404);
});

// The last one: from here on the clock of the database is two hours ahead of the pages'.
test('What happened in the last hour, or since the beginning, is sent again under the same ids', async () => {
  const one = await ready();
  const { firm, ada, receiver, at } = one;
  await firm.owner.post('/v1/leads', { lastName: 'Old' });
  const [old] = await receiver.until(1);
  // A turn ends by itself when two hours pass in it: what it has sent must be stored.
  await untilSaid(one, /: 204\.$/);
  await clock.step(7_200);
  await firm.owner.post('/v1/leads', { lastName: 'New' });
  const [, fresh] = await receiver.until(2);
  const sent = await ada.send(`${at}/replay`, { since: '3600' });
  expect(sent.status).toBe(303);
  const [, , again] = await receiver.until(3);
  expect(again?.id).toBe(fresh?.id as string);
  await ada.send(`${at}/replay`, { since: 'all' });
  const [, , , first, second] = await receiver.until(5);
  expect([first?.id, second?.id]).toEqual([old?.id as string, fresh?.id as string]);
  expect((await ada.send(`${at}/replay`, { since: '1' })).status).toBe(422);
  await untilSaid(one, /: 204\.$/);
  expect(receiver.arrived).toHaveLength(5);
});
