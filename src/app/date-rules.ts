/** The words of a firm's rules for dates, and of what they count. */
import type { StandingDate } from '../date-rules/standing.ts';
import type { MadeByRule, MatterDay } from '../date-rules/table.ts';
import { type Counting, isTriggerGone } from '../date-rules/trigger.ts';
import type { Reckoned, Rolling, Span } from '../firm/reckoning.ts';
import { dayInFull, type Writing, weekdayInFull } from './moments.tsx';
import { counted } from './numbers.ts';
import { namesInWords } from './said.ts';

export const matterDayNames: Record<MatterDay, string> = {
  opened: 'Opening day',
  limitation: 'Limitation date',
};

/** What a rule counts from, as a label. */
export const triggerLabel = ({ trigger, fieldName, eventKindName }: Counting): string => {
  if (trigger === 'field') return fieldName ?? 'A field that was removed';
  return trigger === 'event' ? `Event: ${eventKindName}` : matterDayNames[trigger];
};

/** The same within a sentence: `the limitation date`, `“Served on”`, `the event “Hearing”`. */
export const triggerWords = (counting: Counting): string => {
  if (isTriggerGone(counting)) return triggerLabel(counting).toLowerCase();
  const { trigger, fieldName, eventKindName } = counting;
  if (trigger === 'field') return `“${fieldName}”`;
  if (trigger === 'event') return `the event “${eventKindName}”`;
  return `the ${matterDayNames[trigger].toLowerCase()}`;
};

/** Why a rule counts from nothing in a matter. */
export const noTriggerWords = (counting: Counting): string => {
  if (isTriggerGone(counting)) return 'the field that it counts from was removed.';
  const { trigger, eventKindName } = counting;
  if (trigger === 'field') return `the matter’s field ${triggerWords(counting)} is empty.`;
  if (trigger === 'event') return `the matter has no event of the kind “${eventKindName}”.`;
  return `the matter has no ${matterDayNames[trigger].toLowerCase()}.`;
};

export const unitNames: Record<Span['unit'], [one: string, many: string]> = {
  days: ['day', 'days'],
  workingDays: ['working day', 'working days'],
  weeks: ['week', 'weeks'],
  months: ['month', 'months'],
  years: ['year', 'years'],
};

export const rollingNames: Record<Rolling, string> = {
  none: 'It stays',
  next: 'The next working day',
  last: 'The last working day before',
};

export const makesNames: Record<MadeByRule, string> = {
  task: 'A task',
  event: 'An event of the whole day',
};

/** The page of the task or the event that a rule has made. */
export const pathOfMade = ({
  taskId,
  eventId,
}: Pick<StandingDate, 'taskId' | 'eventId'>): string =>
  taskId === null ? `/calendar/${eventId}` : `/tasks/${taskId}`;

/** How far a rule counts: `3 years`, whichever the direction. */
export const spanOf = ({ amount, unit }: Span): string => {
  const [one, many] = unitNames[unit];
  return counted(Math.abs(amount), one, many);
};

/** What a rule says: `8 working days before the limitation date`. */
export const ruleWords = (rule: Span & Counting): string =>
  `${spanOf(rule)} ${rule.amount < 0 ? 'before' : 'after'} ${triggerWords(rule)}`;

/** `3 years from Thu 14 Mar 2024 = Sun 14 Mar 2027 → Mon 15 Mar 2027`. */
export const arithmetic = (span: Span, reckoned: Reckoned, as: Writing): string => {
  const { from, reached, day } = reckoned;
  const words = `${spanOf(span)} ${span.amount < 0 ? 'before' : 'from'} ${dayInFull(from, as)} = ${dayInFull(reached, as)}`;
  return day === reached ? words : `${words} → ${dayInFull(day, as)}`;
};

/** Why a day was rolled: `Saturday, Sunday and New Year’s Day are no working days.` Empty if it was not. */
export const passedWords = ({ passed }: Reckoned): string => {
  if (passed.length === 0) return '';
  const names = [...new Set(passed.map(({ day, holiday }) => holiday ?? weekdayInFull(day)))];
  return `${namesInWords(names)} ${names.length === 1 ? 'is no working day' : 'are no working days'}.`;
};
