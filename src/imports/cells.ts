/** What the text of a cell means. */
import { isCalendarDate } from '../base/calendar-date.ts';
import { openPace } from '../base/pace.ts';
import { formatChoices } from '../firm/table.ts';

/** The order of day, month and year in a written date. */
export const dayOrders = formatChoices.dayOrder;
export type DayOrder = (typeof dayOrders)[number];

/**
 * The value of a cell. An export for spreadsheets has an apostrophe in front of values that look
 * like a formula.
 */
export const cellText = (cell: string | undefined): string =>
  (cell ?? '').trim().replace(/^'(?=[=+\-@\t\r])/, '');

const timeForm = /[ T](\d{1,2}):(\d{2})(?::\d{2})?(?: ?([ap])\.?m\.?)?$/i;

/** A day, as `dayFrom` reads it, or one with its time: `2026-03-14T09:30`; undefined if it is neither. */
export const dayOrTimeFrom = (text: string, order: DayOrder): string | undefined => {
  const day = dayFrom(text, order);
  const [, hour, minute, half] = timeForm.exec(text) ?? [];
  if (!day || !hour) return day;
  const hours = half ? (Number(hour) % 12) + (/p/i.test(half) ? 12 : 0) : Number(hour);
  return `${day}T${String(hours).padStart(2, '0')}:${minute}`;
};

const dayForm = /^(\d{1,4})[./-](\d{1,2})[./-](\d{1,4})(?:[ T].*)?$/;

/** A day as `YYYY-MM-DD`; undefined if it is no day in this order. A time after it is ignored. */
export const dayFrom = (text: string, order: DayOrder): string | undefined => {
  const [, first = '', second = '', third = ''] = dayForm.exec(text) ?? [];
  const isYearFirst = first.length === 4 || order === 'YMD';
  const [year, month, day] = isYearFirst
    ? [first, second, third]
    : order === 'MDY'
      ? [third, first, second]
      : [third, second, first];
  const full = year.length === 2 ? `${Number(year) > 69 ? '19' : '20'}${year}` : year;
  const found = `${full}-${month.padStart(2, '0')}-${day.padStart(2, '0')}`;
  return isCalendarDate(found) ? found : undefined;
};

/** The order in which a file writes its days, if one of them can be read in only one order. */
export const dayOrderIn = async (
  rows: readonly { cells: readonly string[] }[],
): Promise<DayOrder | undefined> => {
  const giveWay = openPace();
  for (const { cells } of rows) {
    await giveWay();
    for (const cell of cells) {
      const [, first = '', second = '', third = ''] = dayForm.exec(cell.trim()) ?? [];
      if (third.length !== 4 || first.length > 2) continue;
      if (Number(first) > 12 && Number(second) <= 12) return 'DMY';
      if (Number(second) > 12 && Number(first) <= 12) return 'MDY';
    }
  }
  return undefined;
};

const yes = new Set(['yes', 'y', 'true', '1', 'x', 'on', 'ja']);
const no = new Set(['no', 'n', 'false', '0', 'off', 'nein']);

/** Yes or no; undefined if it is neither. */
export const yesOrNoFrom = (text: string): boolean | undefined => {
  const word = text.toLowerCase();
  if (yes.has(word)) return true;
  return no.has(word) ? false : undefined;
};
