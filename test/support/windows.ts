/** Windows of the browser in which a member is signed in, closed when the test that opened them ends. */
import { onTestFinished } from 'bun:test';
import type { BrowserContextOptions } from 'playwright-core';
import { openWindow, signIn, type Watched } from './browser.ts';

type Server = { url: string; databaseUrl: string };
type Firm = { id: string; members: Record<string, string> };

/** Gives a function that opens a window for a member, in a test. `firmOf` is asked when a window opens. */
export const windowsAt =
  (server: Server, firmOf: () => Firm) =>
  async (email: string, options: BrowserContextOptions = {}): Promise<Watched> => {
    const window = await openWindow(server.url, options);
    // Open, it would go on renewing its page, and hold one of the member's few places for it.
    onTestFinished(() => window.close());
    await signIn(window, server, firmOf(), email);
    return window;
  };
