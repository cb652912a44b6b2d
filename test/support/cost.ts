/** What a job costs who does it: presses, letters, and the time that the program takes. docs/staff.md lists fifteen. */
import type { Locator, Page } from 'playwright-core';

/**
 * Counts the keys, letters and clicks of a job. `said` prints them with the time since it began: that of server and
 * browser, without a person, who takes most of the time. It is printed and not expected, because machines differ.
 */
export const countedJob = (page: Page, job: string) => {
  const cost = { keys: 0, letters: 0, clicks: 0 };
  const begun = performance.now();
  return {
    cost,
    press: async (...keys: string[]) => {
      for (const key of keys) await page.keyboard.press(key);
      cost.keys += keys.length;
    },
    type: async (text: string) => {
      await page.keyboard.type(text);
      cost.letters += text.length;
    },
    click: async (part: Locator, held?: 'Shift') => {
      await part.click(held && { modifiers: [held] });
      cost.clicks += 1;
    },
    said: () => {
      const { keys, letters, clicks } = cost;
      const seconds = ((performance.now() - begun) / 1000).toFixed(2);
      console.log(
        `${job}: ${keys} keys, ${letters} letters, ${clicks} clicks, ${seconds} s of the program`,
      );
    },
  };
};
