/** @jsxImportSource preact */
import type { ComponentChild } from 'preact';
import { markup } from './markup.ts';

/** The first letters of the first and last word of a name. */
export const initialsOf = (name: string) => {
  const words = name.trim().split(/\s+/);
  const letters = words.length > 1 ? [words[0], words.at(-1)] : [words[0]];
  return letters
    .map((word) => [...(word ?? '')][0] ?? '')
    .join('')
    .toUpperCase();
};

/** A member as initials; `plain` if the name is beside it. Null is nobody. */
export const Avatar = ({ name, plain }: { name: string | null; plain?: boolean }) => {
  const label = name ?? 'Nobody assigned';
  const className = name === null ? 'avatar none' : 'avatar';
  const letters = name === null ? '–' : initialsOf(name);
  return plain
    ? markup`<span class="${className}" title="${label}" aria-hidden="true">${letters}</span>`
    : markup`<span class="${className}" title="${label}" role="img" aria-label="${label}">${letters}</span>`;
};

/** Words that stand back. */
export const muted = (words: string) => markup`<span class="muted">${words}</span>`;

/**
 * A value, or the words for a missing one. Beside its label they are `None`, of people `Nobody`;
 * without a label they name what is missing: `No area`.
 */
export const Or = ({ value, none }: { value: ComponentChild; none: string }) =>
  value === null || value === undefined || value === '' ? muted(none) : value;

/** Words with what is to be typed, which stands between backticks. */
export const Coded = ({ text }: { text: string }) => (
  <>{text.split('`').map((part, at) => (at % 2 === 1 ? <code>{part}</code> : part))}</>
);

/** A link from data; undefined for schemes that could run something. */
export const safeLink = (address: string): string | undefined =>
  /^(https?|mailto|tel):/i.test(address) ? address : undefined;

/** A text in which no number of a record breaks over lines: `M-2026-0003`. */
export const Unbroken = ({ children }: { children: string }) => (
  <>
    {children
      .split(aNumber)
      .map((part, at) => (at % 2 === 0 ? part : <span class="nowrap">{part}</span>))}
  </>
);

/** A firm chooses how its numbers are written: a short word with a hyphen and a digit. */
const aNumber = /(?<!\S)(?=\S*\d)([^\s-]+-\S{1,20})(?!\S)/;
