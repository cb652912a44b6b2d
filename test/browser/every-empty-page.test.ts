/**
 * The pages of an empty firm that list something, and what is shown to strangers, in a browser: no
 * barrier, nothing cut. With WHOLE=1 it is every page and dialog.
 */
import { describe, expect, test } from 'bun:test';
import { pages } from '../../src/app/pages.ts';
import { isPage, judgeIn } from '../support/barriers.ts';
import { hasBrowser, openWindow, signIn } from '../support/browser.ts';
import { pageAt, walk } from '../support/crawl.ts';
import { bookkeeper, makeFirm, owner, startTestServer } from '../support/firm.ts';
import { visitorOf, visitorWith } from '../support/visitor.ts';
import { isWhole } from '../support/whole.ts';

const server = await startTestServer();
const paths = pages.filter(({ method }) => method === 'GET').map(({ path }) => path);

describe.skipIf(!hasBrowser)('Every page', () => {
  test('of an empty firm, and for who may not or is not signed in, has no barrier', async () => {
    const firm = await makeFirm(server, { practiceAreas: [], leadStages: ['New'] });
    const ada = await visitorOf(server, firm, owner);
    const starts = paths.filter((path) => !path.includes(':'));
    const { texts } = await walk(ada, starts, { max: 1 });
    const window = await openWindow(server.url);
    const { faults, judge } = judgeIn(window, server.url);
    const nobody = visitorWith(server.url, '');
    for (const path of ['/sign-in', '/setup', '/sign-in/code', '/sign-out', '/nowhere']) {
      expect((await nobody.get(path)).status).not.toBe(303);
      await judge(path);
    }
    await judge(`/welcome/${'x'.repeat(43)}`);
    await signIn(window, server, firm, bookkeeper);
    await judge('/leads');
    await signIn(window, server, firm, owner);
    const shown = [...texts.keys()].filter(
      (address) => isPage(texts.get(address) ?? '') && pageAt(address)?.admission !== 'open',
    );
    const lists = shown.filter((address) => !/\?|settings|\/new$/.test(address));
    expect(lists.length).toBeGreaterThan(10);
    for (const address of isWhole ? shown : lists) await judge(address);
    expect(faults).toEqual([]);
    expect(window.complaints).toEqual([]);
    await window.close();
  }, 900_000);
});
