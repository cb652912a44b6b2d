/** A real browser for tests: Debian's Chromium, which CI installs; elsewhere the tests say that they need it. */
import { expect } from 'bun:test';
import { existsSync } from 'node:fs';
import type { Browser, BrowserContextOptions, Locator, Page } from 'playwright-core';
import { chromiumPath, launchChromium } from './chromium.ts';
import { sessionOf } from './session.ts';
import { isWhole } from './whole.ts';

const axe = await Bun.file(Bun.resolveSync('axe-core/axe.min.js', import.meta.dir)).text();

/** Whether there is a browser; without one, outside of CI, its tests are skipped with this sentence. */
export const hasBrowser = chromiumPath() !== undefined || (await installed());

async function installed(): Promise<boolean> {
  const mayInstall =
    process.env.CI && process.getuid?.() === 0 && existsSync('/etc/debian_version');
  if (mayInstall) {
    const install = 'DEBIAN_FRONTEND=noninteractive apt-get install -yq';
    const command = `apt-get update -q && { ${install} chromium-headless-shell || ${install} chromium; }`;
    const { exitCode, stderr } = Bun.spawnSync(['sh', '-c', command]);
    if (exitCode !== 0) throw new Error(`Chromium could not be installed: ${stderr}`);
    return true;
  }
  if (process.env.CI) throw new Error('The tests in a browser need Chromium in /usr/bin.');
  console.log('Tests in a browser are skipped: there is no Chromium in /usr/bin.');
  return false;
}

let launched: Promise<Browser> | undefined;

/**
 * The browser of this process: all files that it runs use it, and it ends with the process. A test
 * that takes too long has its processes ended, so the next one may need a new browser.
 */
const browser = async (): Promise<Browser> => {
  const before = launched;
  const standing = await before?.catch(() => undefined);
  if (!standing?.isConnected() && launched === before) {
    launched = launchChromium();
  }
  return launched as Promise<Browser>;
};

/** On a busy machine what must come may take long. */
const longestMilliseconds = 300_000;

/** What a page complained of: errors of scripts, and whatever the policy has stopped. */
export type Watched = { page: Page; complaints: string[]; close(): Promise<void> };

/** A browser window of its own, in which nobody is signed in; it looks the same at every run. */
export const openWindow = async (
  url: string,
  options: BrowserContextOptions = {},
): Promise<Watched> => {
  const context = await (await browser()).newContext({
    baseURL: url,
    reducedMotion: 'reduce',
    viewport: { width: 1280, height: 800 },
    ...options,
  });
  context.setDefaultTimeout(longestMilliseconds);
  const page = await context.newPage();
  const complaints: string[] = [];
  page.on('pageerror', (error) => complaints.push(String(error)));
  page.on('console', (message) => {
    const text = message.text();
    // A refused form is answered 422: the browser says so of every such answer.
    if (message.type() === 'error' && !/status of (401|403|404|410|422|429|503)/.test(text)) {
      complaints.push(text);
    }
  });
  return { page, complaints, close: () => context.close() };
};

export const phone = { viewport: { width: 390, height: 844 }, isMobile: true, hasTouch: true };

/** Signs a member in by a session of their own, as if they had just given their password. */
export const signIn = async (
  window: Watched,
  server: { url: string; databaseUrl: string },
  firm: { id: string; members: Record<string, string> },
  email: string,
) => {
  const token = await sessionOf(server, firm, email);
  const cookie = { name: '__Host-session', value: token, path: '/', secure: true, httpOnly: true };
  const { hostname } = new URL(server.url);
  await window.page.context().addCookies([{ ...cookie, domain: hostname, sameSite: 'Lax' }]);
};

/**
 * Expects that nothing on the page is a barrier by axe's rules, WCAG 2.2 A and AA: in light in a wide
 * window, in dark on a phone, and in both with WHOLE=1. Leaves the page in dark.
 */
export const expectAccessible = async (window: Watched) => {
  const isWide = (window.page.viewportSize()?.width ?? 0) > 600;
  for (const colorScheme of ['light', 'dark'] as const) {
    await window.page.emulateMedia({ colorScheme, reducedMotion: 'reduce' });
    if (!isWhole && isWide !== (colorScheme === 'light')) continue;
    expect(await barriersOf(window), `${window.page.url()} in ${colorScheme}`).toEqual([]);
  }
};

/** What is a barrier within a part of the page as it looks now. */
export const barriersOf = async ({ page }: Watched, within = 'html'): Promise<string[]> => {
  if (!(await page.evaluate('typeof axe !== "undefined"'))) await page.evaluate(axe);
  return page.evaluate(async (part) => {
    const { run } = (globalThis as unknown as { axe: Axe }).axe;
    const tags = ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa'];
    const runOnly = { type: 'tag', values: tags };
    const rules = { 'landmark-unique': { enabled: true } };
    const options = { runOnly, rules, resultTypes: ['violations'], preload: false };
    const { violations } = await run(part, options);
    // A target that ends under a bar at the edge of the window is judged where it is whole.
    const isTooSmall = async (target: string) => {
      const from = scrollY;
      document.querySelector(target)?.scrollIntoView({ block: 'center' });
      const again = await run(target, options);
      scrollTo(0, from);
      return again.violations.some(({ id }) => id === 'target-size');
    };
    const barriers: string[] = [];
    for (const { id, nodes } of violations) {
      const found: string[] = [];
      for (const { html, target } of nodes) {
        if (id !== 'target-size' || (await isTooSmall(target.join()))) found.push(html);
      }
      if (found.length > 0) barriers.push(`${id}: ${found.join(' ')}`);
    }
    return barriers;
  }, within);
};

type Found = { id: string; nodes: { html: string; target: string[] }[] };
type Axe = { run(...given: unknown[]): Promise<{ violations: Found[] }> };

/**
 * Expects that what is read of a page becomes this. A page shows the end of a press a moment later, and
 * a renewal may replace any part of it in between.
 */
export const expectSoon = async <T>(
  read: () => Promise<T>,
  expected: NoInfer<T>,
  message?: string,
): Promise<void> => {
  const until = performance.now() + longestMilliseconds;
  for (;;) {
    try {
      return expect<unknown>(await read(), message).toEqual(expected);
    } catch (error) {
      if (performance.now() > until) throw error;
      await Bun.sleep(50);
    }
  }
};

/** Takes a picture of the page where PICTURES names a folder. */
export const takePicture = async ({ page }: Watched, name: string) => {
  const folder = process.env.PICTURES;
  if (folder) await page.screenshot({ path: `${folder}/${name}.png` });
};

/** Where a part is on the screen. A renewal may replace it in the meantime. */
export const boxOf = async (part: Locator) => {
  for (let left = 20; left > 0; left -= 1) {
    await part.waitFor();
    const box = await part.boundingBox();
    if (box) return box;
  }
  throw new Error('It is not on the screen.');
};

/** A measure of each of these parts, taken at once: a page that renews itself meanwhile has them all or none. */
export const boxesOf = (parts: Locator, measure: 'width' | 'height' | 'top'): Promise<number[]> =>
  parts.evaluateAll(
    (found, name) => found.map((one) => one.getBoundingClientRect()[name]),
    measure,
  );
