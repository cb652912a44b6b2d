/** Chromium as Debian packages it. */
import { existsSync } from 'node:fs';
import { chromium } from 'playwright-core';

/** Without a screen to draw on, a browser starts in less than half of the processor time. */
const executables = ['/usr/bin/chromium-headless-shell', '/usr/bin/chromium'];

export const chromiumPath = () => executables.find((path) => existsSync(path));

/** Starts the browser. Throws if there is none. */
export const launchChromium = () => {
  const executablePath = chromiumPath();
  if (!executablePath) throw new Error(`There is none of ${executables.join(', ')}.`);
  return chromium.launch({
    executablePath,
    args: process.getuid?.() === 0 ? ['--no-sandbox'] : [],
  });
};
