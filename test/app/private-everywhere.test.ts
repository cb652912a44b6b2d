/** A private lead leaves no trace for who may not see it: not a byte of a page, a file or a search differs. */
import { afterAll, expect, setSystemTime, test } from 'bun:test';
import { pages } from '../../src/app/pages.ts';
import { memberBrowser } from '../support/app.ts';
import { sealOnce } from '../support/chain.ts';
import { takeClock } from '../support/clock.ts';
import { makesFile, walk } from '../support/crawl.ts';
import { connect, movedBy, ownDatabase } from '../support/database.ts';
import { startTestServer } from '../support/firm.ts';
import { administrator, fullOwner, makeFullFirm, secret, startsOf } from '../support/full-firm.ts';
import { visitorOf } from '../support/visitor.ts';

const databaseUrl = await ownDatabase();
const clock = await takeClock(databaseUrl);
const server = await startTestServer({ databaseUrl });
afterAll(() => void setSystemTime());
const paths = pages.filter(({ method }) => method === 'GET').map(({ path }) => path);

/** Without what goes on by itself: the clock, who is signed in when, and the number that a next lead gets. */
const still = (text: string) =>
  text
    .replaceAll(/name="once" value="[^"]*"/g, 'once')
    .replaceAll(/\d{4}-\d\d-\d\dT[\d:.]+Z/g, 'then')
    .replaceAll(/\bjust now\b|\ba minute ago\b|\b\d+ (?:sec|min|hour)\w*(?: ago)?/g, 'a while')
    .replaceAll(/\bL-\d{4}, L-\d{4},? (?:and )?L-\d{4}\b/g, 'numbers');

/** Has what is told of the firm come an hour later; a job that runs is waited for, it locks its row. */
const holdNotices = async (firm: { id: string }) => {
  const sql = connect(server.databaseUrl);
  await sql`update job set run_at = ${movedBy(sql, 'run_at', '1 hour')} where firm_id = ${firm.id}`;
  await sql.end();
};

test('pages, files, search and figures are the same with it and without it', async () => {
  await clock.run(1);
  const firm = await makeFullFirm(server);
  const ada = await visitorOf(server, firm, fullOwner);
  const max = await memberBrowser(server, firm, administrator);
  const visitor = await visitorOf(server, firm, administrator);
  const island = { 'x-sent-by': 'island', accept: 'application/json' };
  const seen = await walk(visitor, startsOf(firm, paths), { max: 1 });
  // What this very sign-in or an import of a page's own changes is not about the lead.
  const addresses = [...seen.texts.keys()].filter(
    (one) => !/^\/(settings\/(me|keys)|setup)/.test(one),
  );
  expect(addresses.length).toBeGreaterThan(40);
  // A matter's ZIP proves its part of the log by the head of all of it, which any entry changes.
  const files = seen.forms.filter(({ action }) => makesFile(action));
  expect(files.length).toBeGreaterThan(2);
  const look = async () => {
    const found = new Map<string, string>();
    for (const address of addresses) found.set(address, still((await max.get(address)).text));
    for (const { action } of files) {
      found.set(`file ${action}`, still((await max.send(action, {})).text));
    }
    for (const q of ['Zxlater', 'zxlater@example.org', 'Tabitha']) {
      const query = `/search?q=${encodeURIComponent(q)}`;
      found.set(query, still((await max.get(query)).text));
      found.set(`palette ${query}`, (await max.send(query, undefined, island)).text);
    }
    const typed = { lastName: 'Zxlater', email: 'zxlater@example.org', phone: '07700 900 777' };
    found.set('known', (await max.send('/leads/known', typed, island)).text);
    return found;
  };
  // Until what is told of days that are past is sealed, the system page says so.
  while ((await max.get('/settings/system')).text.includes('that are not sealed')) {
    await sealOnce(server.databaseUrl);
  }
  await holdNotices(firm);
  // A report counts tenths of days, which may pass meanwhile.
  const now = await clock.now();
  setSystemTime(now);
  await clock.standAt(now);
  const before = await look();
  const lead = await firm.api.post('/v1/leads', {
    firstName: 'Tabitha',
    lastName: 'Zxlater',
    email: 'zxlater@example.org',
    phone: '07700 900 777',
    isPrivate: true,
    value: 'HIGHEST',
  });
  const { id } = lead.body.data;
  expect((await ada.post(`/leads/${id}/notes`, { text: 'Zxlater called.' })).status).toBe(303);
  expect((await ada.post(`/leads/${id}/status`, { status: 'ARCHIVE' })).status).toBe(303);
  expect((await ada.post(`/leads/${id}/status`, { status: 'ACTIVE' })).status).toBe(303);
  expect((await ada.get('/leads')).text).toContain('Zxlater');
  const after = await look();
  // The audit log has what was looked at itself: each file that was taken out.
  for (const [what, text] of before) {
    if (!what.startsWith('/settings/audit')) expect(after.get(what), what).toBe(text);
  }
  for (const [what, text] of after) {
    if (!what.includes('q=Zx') && !what.includes('q=zx'))
      expect(text, what).not.toContain('Zxlater');
    expect(text, what).not.toContain(secret);
    expect(text, what).not.toContain(id);
  }
});
