/**
 * The pages of a full firm in a browser: no barrier, nothing cut, the policy silent. A quarter of
 * the pages, which their paths choose, have one of two looks, wide and light or narrow and dark. With
 * WHOLE=1 it is every view, dialog and refusal of every page, in both looks.
 */
import { describe, expect, test } from 'bun:test';
import { pages } from '../../src/app/pages.ts';
import { isPage, judgeIn } from '../support/barriers.ts';
import { hasBrowser, openWindow, signIn } from '../support/browser.ts';
import { pageAt, sentBy, walk } from '../support/crawl.ts';
import { startTestServer } from '../support/firm.ts';
import { fullOwner, makeFullFirm, startsOf } from '../support/full-firm.ts';
import { visitorOf } from '../support/visitor.ts';
import { isWhole, partOf } from '../support/whole.ts';

const server = await startTestServer();
const paths = pages.filter(({ method }) => method === 'GET').map(({ path }) => path);

/** Names that would be markup, or run past the edge, where a page did not see to it. */
const hostile = [
  '</script><img src=x onerror=alert(1)>"\'<!-- {{x}}',
  'javascript:alert(1)//\u202egnp.eman \u{1d4ac}\u{1f468}\u200d\u{1f469}\u200d\u{1f467}',
  'Donaudampfschifffahrtselektrizitätenhauptbetriebswerkbauunterbeamtengesellschaft',
];

describe.skipIf(!hasBrowser)('Every page', () => {
  test('of a full firm has no barrier, cuts nothing and keeps to the policy', async () => {
    const firm = await makeFullFirm(server);
    for (const lastName of hostile) {
      const made = await firm.api.post('/v1/leads', { lastName, email: 'zx@hostile.example' });
      expect(made.status).toBe(201);
    }
    const ada = await visitorOf(server, firm, fullOwner);
    const { texts, forms } = await walk(ada, startsOf(firm, paths), { max: 1 });
    const window = await openWindow(server.url);
    await signIn(window, server, firm, fullOwner);
    const { faults, judge } = judgeIn(window, server.url);
    const shown = [...texts.keys()].filter((address) => isPage(texts.get(address) ?? ''));
    const kinds = new Map(
      shown.toReversed().map((address) => [pageAt(address)?.path ?? '', address]),
    );
    expect(kinds.size).toBeGreaterThan(35);
    const some = partOf([...kinds], 4, ([path]) => path).map(([, address]) => address);
    for (const address of isWhole ? shown : some) await judge(address);
    const long = 'x'.repeat(70_000);
    const refusable = forms.filter(({ fields }) => fields.some(({ isTyped }) => isTyped));
    const firstOf = new Map(
      refusable.map((form) => [pageAt(form.action, 'POST')?.path ?? '', form]),
    );
    for (const [, form] of partOf([...firstOf], 12, ([path]) => path)) {
      const typed = form.fields.filter(({ isTyped }) => isTyped).map(({ name }) => name);
      const sent = { ...sentBy(form), ...Object.fromEntries(typed.map((name) => [name, long])) };
      const answer = await ada.post(form.action, sent);
      if (answer.status === 422) await judge(form.action, answer);
    }
    await judge(`/leads/${Bun.randomUUIDv7()}`);
    expect(faults).toEqual([]);
    expect(window.complaints).toEqual([]);
    await window.close();
  }, 900_000);
});
