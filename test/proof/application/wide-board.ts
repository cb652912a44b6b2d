/**
 * A board of 1,000 open cards in a browser whose processor is slowed four times: how long `M` takes from
 * the key to the painted menu, side by side with every card drawn, as it was before.
 *
 *   bun test/proof/application/wide-board.ts [--cards N] [--rounds N]
 *
 * Prints Markdown. Figures of a busy machine mean little: run it until they repeat.
 */
import { parseArgs } from 'node:util';
import type { Page } from 'playwright-core';
import { launchChromium } from '../../support/chromium.ts';
import { median } from '../bench/load.ts';
import { setStage } from '../bench/stage.ts';
import { cookieFor, cookieOf } from './member.ts';

const { values: flags } = parseArgs({
  options: {
    cards: { type: 'string', default: '1000' },
    rounds: { type: 'string', default: '7' },
  },
});
const [cards, rounds] = [Number(flags.cards), Number(flags.rounds)];

const stage = await setStage();
const browser = await launchChromium();

/** Draws every card, also those out of sight, as before. */
const drawAll = (page: Page) =>
  page.evaluate(() => {
    const sheet = new CSSStyleSheet();
    sheet.replaceSync('.card { content-visibility: visible !important }');
    document.adoptedStyleSheets = [sheet];
  });

/** Milliseconds from a key until what it did is painted, as the browser itself says (event timing). */
const untilPainted = async (page: Page, key: string) => {
  const taken = page.evaluate(
    () =>
      new Promise<number>((found) => {
        const observer = new PerformanceObserver((list) => {
          const down = list.getEntries().find(({ name }) => name === 'keydown');
          if (!down) return;
          observer.disconnect();
          found(down.duration);
        });
        observer.observe({ type: 'event', durationThreshold: 16 } as PerformanceObserverInit);
      }),
  );
  await page.keyboard.press(key);
  return taken;
};

const measure = async (url: string, path: string, cookie: string, isAsBefore: boolean) => {
  const context = await browser.newContext({ viewport: { width: 1280, height: 800 } });
  await context.addCookies([cookieFor(url, cookie)]);
  const page = await context.newPage();
  await page.goto(url + path);
  await page.waitForSelector('[draggable=true]', { state: 'attached' });
  if (isAsBefore) await drawAll(page);
  const session = await context.newCDPSession(page);
  await session.send('Emulation.setCPUThrottlingRate', { rate: 4 });
  const times: number[] = [];
  for (let round = 0; round <= rounds; round += 1) {
    await page
      .locator('.card > a')
      .nth(round % 5)
      .focus();
    const opened = await untilPainted(page, 'm');
    await page.locator('#move-menu:popover-open').waitFor();
    if (round > 0) times.push(opened);
    await page.keyboard.press('Escape');
    await page.locator('#move-menu').waitFor({ state: 'hidden' });
  }
  await context.close();
  return median(times);
};

try {
  const url = await stage.startServer('');
  const firm = await stage.storeFirm('Wide', { contacts: cards, leads: cards });
  const sql = stage.connect();
  await sql`update lead set value = 'HIGH' where firm_id = ${firm.id}`;
  await sql`
    insert into lead_assignee (firm_id, lead_id, member_id)
    select lead.firm_id, lead.id, member.id from lead join member on member.firm_id = lead.firm_id
    where lead.firm_id = ${firm.id}`;
  const cookie = await cookieOf(stage.url, firm);
  const path = `/leads?more=${firm.leadStageId}&shown=${cards}`;
  const found: { before: number; now: number }[] = [];
  for (let round = 0; round < 3; round += 1) {
    const before = await measure(url, path, cookie, true);
    found.push({ before, now: await measure(url, path, cookie, false) });
  }
  const [before, now] = [
    median(found.map((one) => one.before)),
    median(found.map((one) => one.now)),
  ];
  console.log(`| ${cards} cards, processor ÷ 4 | every card drawn | those in sight | times |`);
  console.log('| --- | ---: | ---: | ---: |');
  const cells = [before.toFixed(0), now.toFixed(0), (before / now).toFixed(1)];
  console.log(`| \`M\` until the menu is painted, ms | ${cells.join(' | ')} |`);
} finally {
  await browser.close();
  await stage.clear();
}
