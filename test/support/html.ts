/** Reads a page as a browser does: by selectors, with its texts and addresses unescaped. */
import { type HTMLElement, parse } from 'node-html-parser';

/** A page, or a part of one. */
export type Html = string | HTMLElement;

const rootOf = (html: Html) => (typeof html === 'string' ? parse(html) : html);

/** All parts that a selector finds, in the page's order. */
export const partsIn = (html: Html, selector: string): HTMLElement[] =>
  rootOf(html).querySelectorAll(selector);

/** What somebody reads in each part, with single spaces. */
export const textsIn = (html: Html, selector: string): string[] =>
  partsIn(html, selector).map(({ text }) => text.replace(/\s+/g, ' ').trim());

/** The text of the first part, or nothing. */
export const textIn = (html: Html, selector: string): string => textsIn(html, selector)[0] ?? '';

/** The values of an attribute of the parts that have it. */
export const attributesIn = (html: Html, selector: string, name: string): string[] =>
  partsIn(html, selector).flatMap((part) => part.getAttribute(name) ?? []);

/** What the first part has as an attribute, or nothing. */
export const attributeIn = (html: Html, selector: string, name: string): string =>
  attributesIn(html, selector, name)[0] ?? '';

/** What the choice with these words sends, or nothing. */
export const choiceIn = (html: Html, words: string): string =>
  partsIn(html, 'option')
    .find(({ text }) => text.trim() === words)
    ?.getAttribute('value') ?? '';

/** Where the link with these words leads, or nothing. */
export const linkIn = (html: Html, words: string): string =>
  partsIn(html, 'a')
    .find(({ text }) => text.trim() === words)
    ?.getAttribute('href') ?? '';

type Stage = { count: number; cards: string[] };

/** What a board shows, by stages: how many cards there are, and those that it shows, by name. */
export const stagesIn = (html: Html): Record<string, Stage> =>
  Object.fromEntries(
    partsIn(html, '.stage').map((stage) => [
      stage.getAttribute('aria-label') ?? '',
      {
        count: Number(textIn(stage, '[data-count]').replaceAll(',', '')),
        cards: textsIn(stage, '.card > a[draggable]'),
      },
    ]),
  );

/** The names of the records that a list shows, in its order. */
export const namesIn = (html: Html): string[] => textsIn(html, 'tbody a.name');

/** The figures of a report that open a list: how many it says, and where it leads. */
export const figuresIn = (html: Html): { href: string; count: number }[] =>
  partsIn(html, 'main a[href*="?"]').flatMap(({ text, attributes: { href = '' } }) =>
    /^[\d,]+$/.test(text) ? { href, count: Number(text.replaceAll(',', '')) } : [],
  );

/** How many records a list has in all, from the words below it. */
export const totalIn = (html: Html): number =>
  Number(/ of ([\d,]+)/.exec(textIn(html, '.foot'))?.[1]?.replaceAll(',', '') ?? 0);
