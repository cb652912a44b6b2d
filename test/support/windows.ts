/** Windows of the browser in which a member is signed in, closed when the tests of the file end. */
import { afterAll } from 'bun:test';
import type { BrowserContextOptions } from 'playwright-core';
import { openWindow, signIn, type Watched } from './browser.ts';

type Server = { url: string; databaseUrl: string };
type Firm = { id: string; members: Record<string, string> };

/** Gives a function that opens a window for a member. `firmOf` is asked when a window opens. */
export const windowsAt = (server: Server, firmOf: () => Firm) => {
  const opened: Watched[] = [];
  afterAll(() => Promise.all(opened.map((window) => window.close())));
  return async (email: string, options: BrowserContextOptions = {}): Promise<Watched> => {
    const window = await openWindow(server.url, options);
    opened.push(window);
    await signIn(window, server, firmOf(), email);
    return window;
  };
};
