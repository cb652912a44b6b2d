/** A new lead of the API in the inbox, at the application's door. */

import { expect, test } from 'bun:test';
import { openStage, people } from '../support/burst.ts';
import { partsIn, textsIn } from '../support/html.ts';
import { visitorOf } from '../support/visitor.ts';

const stage = await openStage(1);
const server = { url: stage.servers[0]?.url ?? '', databaseUrl: stage.databaseUrl };

const lines = (page: string) =>
  partsIn(page, '.inbox a.name').map((link) => [link.text, link.getAttribute('href')]);

test('a lead of the API is in the inbox after a minute, and opens; not for who does not read leads', async () => {
  const firm = await stage.newFirm();
  const [reader, other] = await Promise.all([
    visitorOf(server, firm, people.C),
    visitorOf(server, firm, people.N),
  ]);
  const [lead] = await firm.leads(1);
  await firm.goTo(58);
  expect(lines((await reader.get('/inbox')).text)).toEqual([]);
  await firm.goTo(65);
  const found = lines((await reader.get('/inbox')).text);
  expect(found).toHaveLength(1);
  expect(found[0]?.[1]).toBe(`/leads/${lead?.id}`);
  expect((await reader.get(`/leads/${lead?.id}`)).status).toBe(200);
  expect(lines((await other.get('/inbox')).text)).toEqual([]);
});

test('a burst is called by the one key it came through, of several by none, and by none that is hidden', async () => {
  const firm = await stage.newFirm();
  const key = async (name: string) => {
    const expires = '2099-01-01T00:00:00Z';
    const more = ['--name', name, '--expires', expires];
    return firm.anywhere(await firm.callerOf(people.O, ['leads:write', 'contacts:write'], more));
  };
  const [website, fair] = [await key('Website form'), await key('Trade fair')];
  const ben = await visitorOf(server, firm, people.C);
  const ada = await visitorOf(server, firm, people.O);
  const called = async (visitor = ben, path = '/inbox') =>
    textsIn((await visitor.get(path)).text, 'a.name').filter((text) => /new leads/.test(text));
  for (let nth = 0; nth < 4; nth += 1) await firm.post({}, website);
  // Ben may not see this one, nor through which key it came.
  await firm.post({ isPrivate: true }, fair);
  await firm.goTo(65);
  expect(await called()).toEqual(['4 new leads from Website form']);
  expect(await called(ben, '/')).toEqual(['4 new leads from Website form']);
  expect(await called(ada)).toEqual(['5 new leads arrived through the API']);
  expect((await ben.get('/inbox')).text).not.toContain('Trade fair');
});

test('what is marked is named as its line names it, and Undo names it too', async () => {
  const firm = await stage.newFirm();
  const ben = await visitorOf(server, firm, people.C);
  const [lead] = await firm.leads(1);
  await firm.goTo(65);
  const mark = async () => {
    const { text } = await ben.get('/inbox');
    const [form] = partsIn(text, 'form[action$="read"]:has([name=name])');
    const action = form?.getAttribute('action') ?? '';
    const name = form?.querySelector('[name=name]')?.getAttribute('value') ?? '';
    const answer = await ben.post(action, { name }, { 'x-sent-by': 'page' });
    return JSON.parse(answer.text).said;
  };
  const name = `New lead, ${lead?.contact.name} (${lead?.publicId})`;
  const read = await mark();
  expect(read.words).toBe(`Marked as read: ${name}.`);
  expect(read.undo).toEqual({
    action: expect.stringMatching(/^\/inbox\/\d+\/unread$/),
    fields: [['name', name]],
  });
  expect((await mark()).words).toBe(`Marked as unread: ${name}.`);
});
