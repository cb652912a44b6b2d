/** @jsxImportSource preact */
import { daysBetween } from '../base/calendar-date.ts';
import { type Frame, useFrame } from './frame.tsx';
import { Icon, type IconName } from './icon.tsx';
import { markup } from './markup.ts';
import { awayWords, dayInFull, dayInYear, type Writing } from './moments.tsx';

/** The values of a matter's limitation date. */
type Limitation = {
  solDate: string | null;
  limitationMetOn: string | null;
  /** The name of who said that it was met. */
  limitationMetBy: string | null;
  /** Whether the matter's practice area expects one. */
  expectsLimitationDate: boolean;
};

/** How pressing a limitation date is: the classes of `styles/limitation.css` and `styles/marks.css`. */
export type LimitationTone = 'far' | 'soon' | 'near' | 'past' | 'met' | 'none';

/**
 * How pressing a limitation date is on a day: grey, amber from 90 days, red from 30 days and past.
 */
export const limitationTone = (limitation: Limitation, today: string): LimitationTone => {
  const { solDate, limitationMetOn, expectsLimitationDate } = limitation;
  if (solDate === null) return expectsLimitationDate ? 'soon' : 'none';
  if (limitationMetOn !== null) return 'met';
  const days = daysBetween(today, solDate);
  if (days < 0) return 'past';
  return days <= 30 ? 'near' : days <= 90 ? 'soon' : 'far';
};

/** A limitation date in words: `in 23 days, Tue 15 Dec 2026`. */
export const limitationWords = (
  limitation: Limitation,
  today: string,
  writing: Writing,
): string => {
  const { solDate, limitationMetOn, limitationMetBy } = limitation;
  if (solDate === null) return 'None set';
  if (limitationMetOn !== null) {
    return `Met on ${dayInFull(limitationMetOn, writing)}${limitationMetBy ? `, by ${limitationMetBy}` : ''}`;
  }
  return `${awayWords(solDate, today)}, ${dayInFull(solDate, writing)}`;
};

const icons: Record<LimitationTone, IconName> = {
  far: 'clock',
  soon: 'clock',
  near: 'triangle-alert',
  past: 'triangle-alert',
  met: 'check',
  none: 'clock',
};

/** A limitation date in a line: how far away, and the day. Its title says who marked it as met. */
export const LimitationLine = ({ limitation }: { limitation: Limitation }) =>
  lineOf(limitation, useFrame(), dayInFull);

/** The same, for a cell of a table: its title has the weekday. */
export const limitationCell = (limitation: Limitation, frame: Frame) =>
  lineOf(limitation, frame, dayInYear);

const lineOf = (limitation: Limitation, frame: Frame, written: typeof dayInFull) => {
  const { today } = frame;
  const tone = limitationTone(limitation, today);
  const { solDate, limitationMetOn } = limitation;
  const words = limitationWords(limitation, today, frame);
  if (solDate === null) {
    return markup`<span class="${tone === 'none' ? 'muted' : `due ${tone}`}">${words}</span>`;
  }
  const away = limitationMetOn === null ? awayWords(solDate, today) : 'Met';
  return markup`<span class="due ${tone}" title="${words}">${Icon({ name: icons[tone] })}<span>${away}<span class="and-day">, <span class="on">${written(limitationMetOn ?? solDate, frame)}</span></span></span></span>`;
};
