import { expect, test } from 'bun:test';
import { makeFirm, owner, startTestServer } from '../support/firm.ts';
import { attributeIn, textIn } from '../support/html.ts';
import { giveNotices } from '../support/notices.ts';
import { visitorOf } from '../support/visitor.ts';

const server = await startTestServer();

test('the mark beside the inbox counts what is unread, and says 99+ for more', async () => {
  const firm = await makeFirm(server);
  const ada = await visitorOf(server, firm, owner);
  const notify = (from: number, to: number) =>
    giveNotices(server.databaseUrl, firm, owner, [from, to]);
  const mark = async () => textIn((await ada.get('/')).text, '[data-unread] > span');
  const leads = async () => textIn((await ada.get('/')).text, 'main .button[href="/inbox"]');
  expect([await mark(), await leads()]).toEqual(['0', 'See all']);
  await notify(1, 99);
  expect([await mark(), await leads()]).toEqual(['99', 'See all (99 unread)']);
  await notify(100, 102);
  expect([await mark(), await leads()]).toEqual(['99+', 'See all (99+ unread)']);
  const range = async () => textIn((await ada.get('/inbox')).text, '.foot > span');
  expect(await range()).toBe('1–50 of 102');
  await notify(103, 201);
  expect(await range()).toBe('1–50 of more than 200');
  const inbox = (await ada.get('/inbox')).text;
  expect(inbox).toContain('Unread<span> 99+</span>');
  const last = (await ada.get('/inbox?page=5')).text;
  expect(last).toContain('201–201 of 201');
  expect(last).not.toContain('rel="next"');
  const upTo = attributeIn(inbox, '[name=upTo]', 'value');
  expect((await ada.post('/inbox/read', { upTo })).status).toBe(303);
  expect(await mark()).toBe('0');
});
