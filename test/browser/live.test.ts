/** The eleventh open page of a member: no place is free for it, and it asks again while it is looked at. */
import { afterAll, describe, expect, test } from 'bun:test';
import { memberBrowser } from '../support/app.ts';
import { hasBrowser, openWindow, signIn } from '../support/browser.ts';
import { makeFirm, owner, startTestServer } from '../support/firm.ts';

const server = await startTestServer();
const maxOfMember = 10;

/** Takes every place that a member has, until they are given back. */
const takePlaces = async (cookie: string) => {
  const listening = new AbortController();
  afterAll(() => listening.abort());
  const ask = () => fetch(`${server.url}/live`, { headers: { cookie }, signal: listening.signal });
  const held = await Promise.all(Array.from({ length: maxOfMember }, ask));
  expect(held.map(({ status }) => status)).toEqual(Array(maxOfMember).fill(200));
  const free = async () => {
    listening.abort();
    // What the server has noticed is free for the page as well.
    for (;;) {
      const once = new AbortController();
      const { status } = await fetch(`${server.url}/live`, {
        headers: { cookie },
        signal: once.signal,
      });
      once.abort();
      if (status === 200) return;
      await Bun.sleep(20);
    }
  };
  return { held, free };
};

declare global {
  /** How often a stream of the page ended for good. */
  var ended: number;
}

/** Runs in the page before its own scripts. */
const countEnds = () => {
  globalThis.ended = 0;
  const Source = EventSource;
  globalThis.EventSource = class extends Source {
    constructor(address: string | URL) {
      super(address);
      this.addEventListener('error', () => {
        if (this.readyState === EventSource.CLOSED) globalThis.ended += 1;
      });
    }
  };
};

describe.skipIf(!hasBrowser)('A page for which no place is free', () => {
  test('asks again after 60 seconds while it is visible, and shows what others do once one is free', async () => {
    const firm = await makeFirm(server);
    const { cookie } = await memberBrowser(server, firm, owner);
    const { held, free } = await takePlaces(cookie);
    const window = await openWindow(server.url);
    afterAll(window.close);
    await signIn(window, server, firm, owner);
    const { page, complaints } = window;
    const answers: number[] = [];
    page.on('response', (answer) => {
      if (answer.url().startsWith(`${server.url}/live?`)) answers.push(answer.status());
    });
    await page.addInitScript(countEnds);
    /** What the page asked for before has reached the server when this is answered. */
    const turn = () => page.evaluate(async () => void (await (await fetch('/healthz')).text()));
    // The page's timers stand still until the test moves them.
    await page.clock.install({ time: 0 });
    await page.clock.pauseAt(1_000);
    const asked = () =>
      page.waitForResponse((answer) => answer.url().startsWith(`${server.url}/live?`));
    const first = asked();
    await page.goto('/leads');
    expect((await first).status()).toBe(204);
    // The page hears that its stream ended a moment after the answer, and then sets its timer.
    const ended = (count: number) =>
      page.waitForFunction((times) => globalThis.ended === times, count);
    await ended(1);

    await page.clock.runFor(59_999);
    await turn();
    expect(answers).toEqual([204]);
    const second = asked();
    await page.clock.runFor(1);
    expect((await second).status()).toBe(204);
    await ended(2);

    const show = (state: 'hidden' | 'visible') =>
      page.evaluate((now) => {
        Object.defineProperty(document, 'visibilityState', { configurable: true, value: now });
      }, state);
    await show('hidden');
    for (let minute = 0; minute < 3; minute += 1) {
      await page.clock.runFor(60_000);
      await turn();
    }
    expect(answers).toEqual([204, 204]);

    await show('visible');
    await free();
    const third = asked();
    await page.clock.runFor(60_000);
    expect((await third).status()).toBe(200);
    expect(answers).toEqual([204, 204, 200]);
    await firm.owner.post('/v1/leads', { firstName: 'Zoe', lastName: 'Quill' });
    await page.getByText('Zoe Quill').first().waitFor();
    expect(complaints).toEqual([]);
    expect(held).toHaveLength(maxOfMember);
  });
});

describe.skipIf(!hasBrowser)('A page that is renewed twice', () => {
  test('shows the newer answer, also if the older one comes later', async () => {
    const firm = await makeFirm(server);
    const window = await openWindow(server.url);
    afterAll(window.close);
    await signIn(window, server, firm, owner);
    const { page, complaints } = window;
    const path = '/contacts';
    await page.goto(path);
    const older = Promise.withResolvers<void>();
    const letGo = Promise.withResolvers<void>();
    const shown = Promise.withResolvers<void>();
    let asked = 0;
    await page.route(`**${path}`, async (route) => {
      asked += 1;
      if (asked > 1) return route.continue();
      const response = await route.fetch();
      older.resolve();
      await letGo.promise;
      await route.fulfill({ response });
      shown.resolve();
    });
    await firm.owner.post('/v1/contacts', { firstName: 'Zoe', lastName: 'Older' });
    await older.promise;
    await firm.owner.post('/v1/contacts', { firstName: 'Zoe', lastName: 'Newer' });
    await page.getByText('Zoe Newer').first().waitFor();
    letGo.resolve();
    await shown.promise;
    // What had come to the page before is shown when this is answered.
    for (let turn = 0; turn < 3; turn += 1)
      await page.evaluate(async () => void (await (await fetch('/healthz')).text()));
    expect(await page.getByText('Zoe Newer').count()).toBeGreaterThan(0);
    await page.unrouteAll({ behavior: 'wait' });
    expect(complaints).toEqual([]);
  });
});

describe.skipIf(!hasBrowser)('A page that cannot be renewed for the moment', () => {
  test.each([
    ['the server says that it is busy', 503],
    ['the connection breaks', null],
  ])('is renewed later: %s', async (_, status) => {
    const firm = await makeFirm(server);
    const window = await openWindow(server.url);
    afterAll(window.close);
    await signIn(window, server, firm, owner);
    const { page } = window;
    await page.goto('/contacts');
    let asked = 0;
    await page.route('**/contacts', async (route) => {
      asked += 1;
      if (asked > 2) return route.continue();
      return status === null ? route.abort() : route.fulfill({ status });
    });
    // Told once: nothing else changes in this firm.
    await firm.owner.post('/v1/contacts', { firstName: 'Zoe', lastName: 'Quill' });
    await page.getByText('Zoe Quill').first().waitFor();
    expect(asked).toBeGreaterThan(2);
    await page.unrouteAll({ behavior: 'wait' });
  });

  test('is not asked for again when it is gone', async () => {
    const firm = await makeFirm(server);
    const { body } = await firm.owner.post('/v1/contacts', { firstName: 'Zoe', lastName: 'Gone' });
    const path = `/contacts/${body.data.id}`;
    const window = await openWindow(server.url);
    afterAll(window.close);
    await signIn(window, server, firm, owner);
    const { page } = window;
    await page.goto(path);
    const answers: number[] = [];
    page.on('response', (answer) => {
      if (answer.url().endsWith(path)) answers.push(answer.status());
    });
    await page.clock.install();
    const gone = page.waitForResponse((answer) => answer.url().endsWith(path));
    await firm.owner.delete(path.replace('/contacts', '/v1/contacts'));
    expect((await gone).status()).toBe(404);
    await page.clock.runFor(60_000);
    await page.evaluate(async () => void (await (await fetch('/healthz')).text()));
    expect(answers).toEqual([404]);
  });
});
