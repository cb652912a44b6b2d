/** Every page, dialog, refusal and empty state in a browser: no barrier, nothing cut, the policy silent. */
import { describe, expect, test } from 'bun:test';
import { pages } from '../../src/app/pages.ts';
import {
  barriersOf,
  hasBrowser,
  openWindow,
  signIn,
  takePicture,
  type Watched,
} from '../support/browser.ts';
import { pageAt, sentBy, walk } from '../support/crawl.ts';
import { makeFirm, owner, startTestServer } from '../support/firm.ts';
import { fullOwner, makeFullFirm, startsOf } from '../support/full-firm.ts';
import { type PageAnswer, visitorOf, visitorWith } from '../support/visitor.ts';

const server = await startTestServer();
const paths = pages.filter(({ method }) => method === 'GET').map(({ path }) => path);

/** What is wrong with the page as it is shown, in each size and scheme; of a dialog, in the dialog. */
const faultsOf = async (window: Watched): Promise<string[]> => {
  const { page } = window;
  const faults: string[] = [];
  const isDialog = (await page.locator('dialog[open]').count()) > 0;
  const looks = [
    { width: 1280, colorScheme: 'light' },
    { width: 390, colorScheme: 'dark' },
  ] as const;
  for (const { width, colorScheme } of looks) {
    await page.setViewportSize({ width, height: 800 });
    await page.emulateMedia({ colorScheme });
    const found = await barriersOf(window, isDialog ? 'dialog[open]' : 'html');
    faults.push(...found.map((one) => `${width} ${colorScheme}: ${one.slice(0, 300)}`));
    faults.push(...(await cutIn(window, width)));
  }
  // 640 is what is left of 1280 at 200 %, and 320 at 400 %.
  for (const width of [640, 320]) faults.push(...(await cutIn(window, width)));
  return faults;
};

/** What a window of this width cuts off, or scrolls sideways for; boards and wide tables scroll by themselves. */
const cutIn = async ({ page }: Watched, width: number): Promise<string[]> => {
  await page.setViewportSize({ width, height: 800 });
  const found = await page.evaluate(() => {
    const shown = (element: Element) => element.checkVisibility({ visibilityProperty: true });
    const scrolls = (element: Element | null): boolean =>
      element !== null &&
      element !== document.documentElement &&
      (/auto|scroll/.test(getComputedStyle(element).overflowX) || scrolls(element.parentElement));
    const isShortened = (element: Element | null): boolean =>
      element !== null &&
      (getComputedStyle(element).textOverflow === 'ellipsis' || isShortened(element.parentElement));
    const all = [...document.querySelectorAll('body *')].filter(shown);
    const root = document.documentElement;
    const wide = root.scrollWidth > root.clientWidth ? [`scrolls to ${root.scrollWidth}`] : [];
    const cut = all.filter((element) => {
      const { right, left, width, height } = element.getBoundingClientRect();
      if (width <= 1 || height <= 1 || element.closest('svg, .hide, .skip')) return false;
      if (scrolls(element) || isShortened(element)) return false;
      const style = getComputedStyle(element);
      const hides = style.overflowX === 'hidden' || style.overflowX === 'clip';
      const isCut =
        hides &&
        element.scrollWidth > element.clientWidth + 1 &&
        element.textContent?.trim() !== '';
      return isCut || right > root.clientWidth + 1 || left < -1;
    });
    const moving = document.getAnimations().filter(({ playState }) => playState === 'running');
    return [
      ...wide,
      ...cut.slice(0, 1).map(({ outerHTML }) => `cut: ${outerHTML.slice(0, 160)}`),
      ...moving.map(({ id }) => `moves: ${id}`),
    ];
  });
  return found.map((one) => `${width}: ${one}`);
};

const open = async (window: Watched, address: string, answer?: PageAnswer) => {
  const { page } = window;
  if (answer) {
    await page.route(server.url + address, (route) =>
      route.fulfill({ status: answer.status, contentType: 'text/html', body: answer.text }),
    );
  }
  const shown = await page.goto(address, { waitUntil: 'load' });
  expect(shown?.status(), address).toBeLessThan(500);
  if (answer) await page.unroute(server.url + address);
};

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
    const { texts, forms } = await walk(ada, startsOf(firm, paths), { most: 1 });
    const window = await openWindow(server.url);
    await signIn(window, server, firm, fullOwner);
    const faults: string[] = [];
    const judge = async (address: string, answer?: PageAnswer) => {
      await open(window, address, answer);
      const what = answer ? `refused ${address}` : address;
      faults.push(...(await faultsOf(window)).map((one) => `${what} ${one}`));
      const name = what.replaceAll(/[0-9a-f-]{36}/g, 'id').replaceAll(/\W+/g, '-');
      await takePicture(window, `every-${name}`);
    };
    for (const address of texts.keys()) await judge(address);
    const long = 'x'.repeat(70_000);
    const refusable = forms.filter(({ fields }) => fields.some(({ isTyped }) => isTyped));
    const firstOf = new Map(refusable.map((form) => [pageAt(form.action, 'POST'), form]));
    for (const form of firstOf.values()) {
      const typed = form.fields.filter(({ isTyped }) => isTyped).map(({ name }) => name);
      const sent = { ...sentBy(form), ...Object.fromEntries(typed.map((name) => [name, long])) };
      const answer = await ada.post(form.action, sent);
      if (answer.status === 422) await judge(form.action, answer);
    }
    await judge(`/leads/${Bun.randomUUIDv7()}`);
    expect(faults).toEqual([]);
    expect(window.complaints).toEqual([]);
    await window.close();
  }, 400_000);

  test('of an empty firm, and for who may not or is not signed in, has no barrier', async () => {
    const firm = await makeFirm(server, { practiceAreas: [], leadStages: ['New'] });
    const ada = await visitorOf(server, firm, owner);
    const { texts } = await walk(
      ada,
      paths.filter((path) => !path.includes(':')),
      { most: 1 },
    );
    const window = await openWindow(server.url);
    const faults: string[] = [];
    const judge = async (address: string) => {
      await open(window, address);
      faults.push(...(await faultsOf(window)).map((one) => `${address} ${one}`));
    };
    const nobody = visitorWith(server.url, '');
    for (const path of ['/sign-in', '/setup', '/sign-in/code', '/sign-out', '/nowhere']) {
      expect((await nobody.get(path)).status).not.toBe(303);
      await judge(path);
    }
    await judge(`/welcome/${'x'.repeat(43)}`);
    await signIn(window, server, firm, 'cy@harrow.example');
    await judge('/leads');
    await signIn(window, server, firm, owner);
    for (const address of texts.keys()) {
      if (pageAt(address)?.admission !== 'open') await judge(address);
    }
    expect(faults).toEqual([]);
    expect(window.complaints).toEqual([]);
    await window.close();
  }, 300_000);
});
