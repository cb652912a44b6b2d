/** What the navigation, "New", the settings and the palette lead to. */
import { expect, test } from 'bun:test';
import { pages } from '../../src/app/pages.ts';
import { mainPlaces, palettePlaces, recordsMade, settingsGroups } from '../../src/app/places.ts';
import { bookkeeper, makeFirm, owner, startTestServer } from '../support/firm.ts';
import { partsIn, textsIn } from '../support/html.ts';
import { visitorOf } from '../support/visitor.ts';

const shown = new Set(pages.filter(({ method }) => method === 'GET').map(({ path }) => path));
const offered = [...mainPlaces, ...palettePlaces, ...recordsMade].map(({ path }) => path);

test('Each place that the navigation and the palette lead to has a page', () => {
  expect(offered.length).toBeGreaterThan(20);
  expect(offered.filter((path) => !shown.has(path.replace(/#.*/, '')))).toEqual([]);
});

test('Each part of a page that the palette leads to is there', async () => {
  const server = await startTestServer();
  const firm = await makeFirm(server);
  const cy = await visitorOf(server, firm, bookkeeper);
  const parts = palettePlaces.flatMap(({ path }) => (path.includes('#') ? [path.split('#')] : []));
  expect(parts.length).toBeGreaterThan(0);
  const missing: (string | undefined)[] = [];
  for (const [page = '', id] of parts) {
    const found = partsIn((await cy.get(page)).text, `[id="${id}"]`);
    if (found.length !== 1) missing.push(id);
  }
  // Cy has no password yet.
  expect(missing).toEqual(['password']);
});

test('Each page of the settings with an address of its own is in their list', () => {
  const listed = settingsGroups.flatMap(({ sections }) => sections.map(({ path }) => path));
  const own = [...shown].filter((path) => /^\/settings\/[a-z-]+$/.test(path));
  expect(own.length).toBeGreaterThan(10);
  expect(own.filter((path) => !listed.includes(path))).toEqual([]);
});

test('Each page of the settings has one primary button at most, besides those of dialogs and edits', async () => {
  const server = await startTestServer();
  const firm = await makeFirm(server);
  const ada = await visitorOf(server, firm, owner);
  const paths = settingsGroups.flatMap(({ sections }) => sections.map(({ path }) => path));
  const member = `/settings/members/${firm.members[bookkeeper]}`;
  for (const path of [...paths, member]) {
    const { text } = await ada.get(path);
    const all = partsIn(text, 'main .primary').length;
    const closed = partsIn(text, 'main dialog .primary, main form.in-place .primary').length;
    expect(all - closed, path).toBeLessThanOrEqual(1);
  }
});

test('The list of keys names to each member those that do something for them', async () => {
  const server = await startTestServer();
  const firm = await makeFirm(server);
  const keysOf = async (email: string) => {
    const page = (await (await visitorOf(server, firm, email)).get('/')).text;
    // A page that the role does not include has the same list.
    const denied = (await (await visitorOf(server, firm, email)).get('/settings/webhooks')).text;
    expect(textsIn(denied, '.keys-table td')).toEqual(textsIn(page, '.keys-table td'));
    return textsIn(page, '.keys-table td');
  };
  const [ada, cy] = [await keysOf(owner), await keysOf(bookkeeper)];
  const hire = 'Hire the lead of a card, a row or a page';
  expect(ada).toContain(hire);
  expect(ada).toContain('New lead');
  expect(cy).not.toContain(hire);
  expect(cy).not.toContain('New lead');
  expect(cy).toContain('Go to Contacts');
});
