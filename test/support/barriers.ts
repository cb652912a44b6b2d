/** What is wrong with a page as a browser shows it: barriers, what is cut off, what moves. */
import { expect } from 'bun:test';
import { barriersOf, takePicture, type Watched } from './browser.ts';
import type { PageAnswer } from './visitor.ts';
import { isWhole, shareOf } from './whole.ts';

/**
 * The two looks: a wide window in light, and a phone in dark. 320 is what is left of 1280 at 400 %; at
 * 200 % the layout is the same, and wider.
 */
const looks = [
  { colorScheme: 'light', width: 1280, widths: [1280] },
  { colorScheme: 'dark', width: 390, widths: [390, 320] },
] as const;

/**
 * Opens addresses in one window and keeps a list of their faults. A page has one of the two looks,
 * which its address chooses; with WHOLE=1 each has both. The frame around a page is the same everywhere: it is
 * left out once a look knows it, but for the first of both.
 */
export const judgeIn = (window: Watched, url: string) => {
  const { page } = window;
  const faults: string[] = [];
  const hasFrameOf = new Set<(typeof looks)[number]>();

  /** Judges what the window shows, under a name; of an open dialog, the dialog. */
  const judgeShown = async (name: string, isRefused: boolean) => {
    const isDialog = (await page.locator('dialog[open]').count()) > 0;
    const hasFrame = (await page.locator('.app main').count()) === 1;
    // A refused form is its page with a summary and words beside the fields: one look shows it.
    const isOne = isRefused || !isWhole;
    const chosen = isOne ? [looks[shareOf(pictureName(name), 2) as 0 | 1]] : looks;
    const widths = isWhole ? [1280, 390, 320] : chosen.flatMap((look) => look.widths);
    const seen: string[] = [];
    for (const width of widths) seen.push(...(await cutIn(window, width)));
    await takePicture(window, `every-${pictureName(name)}`);
    await page.evaluate(shortenLists);
    // A refused page is scrolled to why: what its bars cover at the moment is not smaller for it.
    await page.evaluate(() => scrollTo(0, 0));
    for (const look of chosen) {
      const { width, colorScheme } = look;
      await page.emulateMedia({ colorScheme, reducedMotion: 'reduce' });
      await page.setViewportSize({ width, height: 800 });
      const mayLeaveOut = isOne || look !== looks[0];
      const isKnown = hasFrame && hasFrameOf.has(look) && mayLeaveOut;
      const part = isDialog ? 'dialog[open]' : isKnown ? 'main' : 'html';
      if (hasFrame && !isDialog) hasFrameOf.add(look);
      const found = await barriersOf(window, part);
      seen.push(...found.map((one) => `${width} ${colorScheme}: ${one.slice(0, 300)}`));
    }
    faults.push(...seen.map((one) => `${name} ${one}`));
  };

  /** Judges an address; or what a form of it was answered, as that address would show it. */
  const judge = async (address: string, answer?: PageAnswer) => {
    await open(window, url, address, answer);
    await judgeShown(answer ? `refused ${address}` : address, answer !== undefined);
  };

  return { faults, judge };
};

/** Whether this is a page, and not a file to save. */
export const isPage = (text: string) => text.startsWith('<!');

/** Takes away all but the first of many rows, cards or choices that are made the same way. */
const shortenLists = () => {
  for (const list of document.querySelectorAll('tbody, ul, ol, select, dl')) {
    for (const one of [...list.children].slice(10)) one.remove();
  }
};

const pictureName = (name: string) =>
  name.replaceAll(/[0-9a-f-]{36}/g, 'id').replaceAll(/\W+/g, '-');

const open = async ({ page }: Watched, url: string, address: string, answer?: PageAnswer) => {
  if (answer) {
    await page.route(url + address, (route) =>
      route.fulfill({ status: answer.status, contentType: 'text/html', body: answer.text }),
    );
  }
  const shown = await page.goto(address, { waitUntil: 'load' });
  expect(shown?.status(), address).toBeLessThan(500);
  if (answer) await page.unroute(url + address);
};

/** What a window of this width cuts off, or scrolls sideways for; boards and wide tables scroll by themselves. */
const cutIn = async ({ page }: Watched, width: number): Promise<string[]> => {
  await page.setViewportSize({ width, height: 800 });
  const found = await page.evaluate(() => {
    const root = document.documentElement;
    const known = new Map<Element, boolean>();
    /** Whether it, or something around it, scrolls by itself or shortens with an ellipsis. */
    const mayGoOn = (element: Element | null): boolean => {
      if (element === null || element === root) return false;
      const before = known.get(element);
      if (before !== undefined) return before;
      const { overflowX, textOverflow } = getComputedStyle(element);
      const may =
        /auto|scroll/.test(overflowX) ||
        textOverflow === 'ellipsis' ||
        mayGoOn(element.parentElement);
      known.set(element, may);
      return may;
    };
    const isCut = (element: Element) => {
      const { right, left, width, height } = element.getBoundingClientRect();
      if (width <= 1 || height <= 1 || element.closest('svg, .hide, .skip')) return false;
      const isOut = right > root.clientWidth + 1 || left < -1;
      const isWider = element.scrollWidth > element.clientWidth + 1;
      if ((!isOut && !isWider) || mayGoOn(element)) return false;
      if (!element.checkVisibility({ visibilityProperty: true })) return false;
      const hides = /hidden|clip/.test(getComputedStyle(element).overflowX);
      return isOut || (hides && element.textContent?.trim() !== '');
    };
    const cut = [...document.querySelectorAll('body *')].find(isCut);
    const moving = document.getAnimations().filter(({ playState }) => playState === 'running');
    return [
      ...(root.scrollWidth > root.clientWidth ? [`scrolls to ${root.scrollWidth}`] : []),
      ...(cut ? [`cut: ${cut.outerHTML.slice(0, 160)}`] : []),
      ...moving.map(({ id }) => `moves: ${id}`),
    ];
  });
  return found.map((one) => `${width}: ${one}`);
};
