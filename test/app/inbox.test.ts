/** A new lead of the API in the inbox, at the application's door. */

import { expect, test } from 'bun:test';
import { openStage, people } from '../support/burst.ts';
import { partsIn } from '../support/html.ts';
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
