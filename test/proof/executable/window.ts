/** A firm's people at the executable: the server that they use, and the browsers of each. */
import type { Subprocess } from 'bun';
import type { Browser, Page } from 'playwright-core';
import { check } from '../../support/executable.ts';

/** What `serve` and `demo` print with `--json`. */
export type Greeting = { url: string; signInLink: string; setupLink: string };

/** Starts a server of the executable that was placed alone, and waits until it answers. */
export const startServer = async (
  { folder, executable, environment }: { folder: string; executable: string; environment: object },
  words: string[],
): Promise<{ child: Subprocess; greeting: Greeting }> => {
  const child = Bun.spawn([executable, ...words, '--json'], {
    cwd: folder,
    env: { ...environment, MATTERHORN_LOG: 'quiet' },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const { value } = await child.stdout.getReader().read();
  return { child, greeting: JSON.parse(new TextDecoder().decode(value)) as Greeting };
};

/** What scripts and the policy complained of in all windows. */
export const complaints: string[] = [];

/** A refused form is answered 422; a server that was killed is away for a moment. */
const expected = /status of (401|403|404|410|422|429)|net::ERR_(CONN|INCOMPL)|Failed to fetch/;

/** A browser of somebody's own, in which nobody is signed in. */
export const windowIn = async (browser: Browser, baseURL: string) => {
  const context = await browser.newContext({
    baseURL,
    reducedMotion: 'reduce',
    viewport: { width: 1280, height: 800 },
  });
  const page = await context.newPage();
  page.setDefaultTimeout(30_000);
  const hear = (said: string) => {
    if (!expected.test(said)) complaints.push(said);
  };
  page.on('pageerror', (error) => hear(String(error)));
  page.on('console', (message) => message.type() === 'error' && hear(message.text()));
  return { context, page };
};

/** Says whether all of a job could be done; what stops it is said. */
export const job = async (what: string, work: () => Promise<boolean>) => {
  const started = performance.now();
  try {
    const holds = await work();
    check(`${what} (${((performance.now() - started) / 1000).toFixed(1)} s)`, holds);
  } catch (error) {
    check(`${what}: ${String(error).split('\n').slice(0, 3).join(' ')}`, false);
  }
};

/** Waits for the first page of somebody who is signed in. */
export const untilIn = (page: Page) =>
  page.getByRole('navigation', { name: 'Main', exact: true }).waitFor();

/** Signs somebody in by their password. */
export const signIn = async (page: Page, email: string, password: string) => {
  await page.goto('/sign-in');
  await page.getByLabel('Email').fill(email);
  await page.getByLabel('Password').fill(password);
  await page.getByRole('button', { name: 'Sign in' }).click();
};
