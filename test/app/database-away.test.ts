/** A page while the database cannot be reached: it says so, and the form can be sent again. */
import { expect, test } from 'bun:test';
import { startProxy } from '../proof/faults/proxy.ts';
import { sharedDatabase } from '../support/database.ts';
import { makeFirm, owner, startTestServer } from '../support/firm.ts';
import { visitorOf, visitorWith } from '../support/visitor.ts';

const databaseUrl = await sharedDatabase();
const network = await startProxy(databaseUrl);
const server = await startTestServer({ databaseUrl: network.url });

test('pages and forms are answered 503 with a page while the database is away, and well afterwards', async () => {
  const firm = await makeFirm({ url: server.url, databaseUrl });
  const ada = await visitorOf({ url: server.url, databaseUrl }, firm, owner);
  expect((await ada.get('/leads')).status).toBe(200);
  network.turnAway('57P03');
  network.cut();
  const answers = [
    await ada.get('/leads'),
    await ada.get('/sign-in'),
    await ada.get('/setup?token=x'),
    await ada.post('/leads/new', { lastName: 'Moss' }),
    await visitorWith(server.url, '').post('/sign-in', { email: owner, password: 'x' }),
  ];
  expect(answers.map(({ status }) => status)).toEqual(answers.map(() => 503));
  for (const { text } of answers) {
    expect(text).toStartWith('<!doctype html>');
    expect(text).toContain('The database cannot be reached at the moment.');
  }
  const isOffered = ({ text }: { text: string }) => text.includes('>Try again</a>');
  expect(answers.map(isOffered)).toEqual([true, true, true, false, false]);
  expect(answers[2]?.text).toContain('href="/setup?token=x"');
  network.turnAway(null);
  expect((await ada.get('/leads')).status).toBe(200);
});
