/**
 * The application's speed, as ratios of one run: a page beside the API's list of the same records, the
 * board of a firm of 10,000 leads beside one of 100; and how soon the first page is of use in a
 * browser whose processor is slowed four times.
 *
 *   bun test/proof/application/application.ts [--requests N] [--rounds N]
 *
 * Prints Markdown. Figures of a busy machine mean little: run it until they repeat. Ends with 1 where an
 * answer was refused.
 */
import { parseArgs } from 'node:util';
import { launchChromium } from '../../support/chromium.ts';
import { median } from '../bench/load.ts';
import { setStage } from '../bench/stage.ts';
import { cookieFor, cookieOf } from './member.ts';

const { values: flags } = parseArgs({
  options: {
    requests: { type: 'string', default: '100' },
    rounds: { type: 'string', default: '5' },
  },
});
const [requests, rounds] = [Number(flags.requests), Number(flags.rounds)];

const stage = await setStage();
let refused = 0;

type Asked = { path: string; headers: Record<string, string> };

/** The median of so many requests, one after the other, in milliseconds. */
const measure = async (url: string, { path, headers }: Asked) => {
  const times: number[] = [];
  for (let at = 0; at < requests; at += 1) {
    const begun = performance.now();
    const answer = await fetch(url + path, { headers, redirect: 'manual' });
    await answer.arrayBuffer();
    times.push(performance.now() - begun);
    if (answer.status !== 200) refused += 1;
  }
  return median(times);
};

/** Both in turn, round by round: the medians, and the median of the rounds' ratios. */
const compare = async (url: string, one: Asked, other: Asked) => {
  const found: { one: number; other: number }[] = [];
  await measure(url, one);
  await measure(url, other);
  for (let round = 0; round < rounds; round += 1) {
    found.push({ one: await measure(url, one), other: await measure(url, other) });
  }
  return {
    one: median(found.map((each) => each.one)),
    other: median(found.map((each) => each.other)),
    ratios: found.map((each) => each.one / each.other).sort((a, b) => a - b),
  };
};

/** How long the first page takes in a fresh browser with a slowed processor, until its script has run. */
const firstPage = async (url: string, cookie: string) => {
  const browser = await launchChromium();
  const times: number[] = [];
  for (let round = 0; round < rounds; round += 1) {
    const context = await browser.newContext();
    await context.addCookies([cookieFor(url, cookie)]);
    const page = await context.newPage();
    const session = await context.newCDPSession(page);
    await session.send('Emulation.setCPUThrottlingRate', { rate: 4 });
    const begun = performance.now();
    await page.goto(`${url}/`, { waitUntil: 'load' });
    await page.keyboard.press('?');
    await page.getByRole('dialog', { name: 'Keyboard shortcuts' }).waitFor();
    times.push(performance.now() - begun);
    await context.close();
  }
  await browser.close();
  return median(times);
};

const row = (cells: (string | number)[]) => console.log(`| ${cells.join(' | ')} |`);
const shown = (value: number) => value.toFixed(2);

try {
  const url = await stage.startServer('');
  const [large, small] = [
    await stage.storeFirm('Large', { contacts: 10_000, leads: 10_000 }),
    await stage.storeFirm('Small', { contacts: 100, leads: 100 }),
  ];
  const [largeCookie, smallCookie] = [
    await cookieOf(stage.url, large),
    await cookieOf(stage.url, small),
  ];
  const asMember = (cookie: string) => ({ accept: 'text/html', cookie });
  const asKey = { authorization: `Bearer ${large.key}` };
  const pairs = [
    {
      name: 'list of leads beside the API’s',
      goal: 2,
      one: { path: '/leads?view=list', headers: asMember(largeCookie) },
      other: { path: '/v1/leads?limit=50', headers: asKey },
    },
    {
      name: 'list of contacts beside the API’s',
      goal: 2,
      one: { path: '/contacts', headers: asMember(largeCookie) },
      other: { path: '/v1/contacts?limit=50', headers: asKey },
    },
    {
      name: 'board of 10,000 leads beside one of 100',
      goal: 1.5,
      one: { path: '/leads', headers: asMember(largeCookie) },
      other: { path: '/leads', headers: asMember(smallCookie) },
    },
  ];
  row(['What', 'ms', 'beside ms', 'times', 'least to most', 'goal']);
  row(['---', '---:', '---:', '---:', '---:', '---:']);
  for (const { name, goal, one, other } of pairs) {
    const found = await compare(url, one, other);
    const [least = 0, max = 0] = [found.ratios[0], found.ratios.at(-1)];
    row([
      ...[name, shown(found.one), shown(found.other), shown(median(found.ratios))],
      ...[`${shown(least)} to ${shown(max)}`, `≤ ${goal}`],
    ]);
  }
  const first = await firstPage(url, smallCookie);
  row(['first page of use, processor ÷ 4', Math.round(first), '', '', '', '≤ 1000 ms']);
} finally {
  await stage.clear();
}
if (refused > 0) console.error(`${refused} requests were refused.`);
process.exit(refused > 0 ? 1 : 0);
