/** The words of a firm's rules for dates, of what they count, and of what they and task lists count from. */
import type { Subject } from '../about/subject.ts';
import type { StandingDate } from '../date-rules/standing.ts';
import type { MadeByRule, MatterDay } from '../date-rules/table.ts';
import { type Counting, isTriggerGone, type SourceEvent } from '../date-rules/trigger.ts';
import type { Reckoned, Rolling, Span } from '../firm/reckoning.ts';
import type { ListTrigger } from '../task-lists/table.ts';
import { dayInFull, type Writing, weekdayInFull } from './moments.tsx';
import { counted } from './numbers.ts';
import { namesInWords } from './said.ts';

const dayNames: Record<MatterDay | 'applied', string> = {
  applied: 'Day the list is added',
  opened: 'Opening day',
  limitation: 'Limitation date',
};

type Counted = Counting<ListTrigger>;

/** What a rule or a task of a list counts from, as a label. */
export const triggerLabel = ({ trigger, fieldName, eventKindName }: Counted): string => {
  if (trigger === 'field') return fieldName ?? 'A field that was removed';
  return trigger === 'event' ? `Event: ${eventKindName}` : dayNames[trigger];
};

/** The same within a sentence: `the limitation date`, `“Served on”`, `the event “Hearing”`. */
export const triggerWords = (counting: Counted): string => {
  if (isTriggerGone(counting)) return triggerLabel(counting).toLowerCase();
  const { trigger, fieldName, eventKindName } = counting;
  if (trigger === 'field') return `“${fieldName}”`;
  if (trigger === 'event') return `the event “${eventKindName}”`;
  return `the ${dayNames[trigger].toLowerCase()}`;
};

/** Why it counts from nothing in a matter, or in a lead. */
export const noTriggerWords = (counting: Counted, about: Subject['about'] = 'matter'): string => {
  if (isTriggerGone(counting)) return 'the field that it counts from was removed';
  const { trigger, eventKindName } = counting;
  if (trigger === 'event') return `the ${about} has no event of the kind “${eventKindName}”`;
  if (trigger !== 'field') return `the ${about} has no ${dayNames[trigger].toLowerCase()}`;
  const field = triggerWords(counting);
  return about === 'matter' ? `the matter’s field ${field} is empty` : `only matters have ${field}`;
};

/** Which of several events of a kind is counted from; empty if there are not several. */
export const sourceWords = (source: SourceEvent | null): string =>
  source && source.count > 1
    ? `“${source.title}”, the ${source.isOver ? 'last' : 'next'} of ${source.count} events of its kind`
    : '';

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

/** What a rule, or a task of a list, says: `8 working days before the limitation date`. */
export const ruleWords = (rule: Span & Counted): string =>
  `${spanOf(rule)} ${rule.amount < 0 ? 'before' : 'after'} ${triggerWords(rule)}`;

/** `3 years from Thu 14 Mar 2024 = Sun 14 Mar 2027 → Mon 15 Mar 2027`. */
export const arithmetic = (span: Span, reckoned: Reckoned, as: Writing): string => {
  const { from, reached, day } = reckoned;
  // No day is cut by the end of a line.
  const written = (one: string) => dayInFull(one, as).replaceAll(' ', '\u00a0');
  const words = `${spanOf(span)} ${span.amount < 0 ? 'before' : 'from'} ${written(from)} =\u00a0${written(reached)}`;
  return day === reached ? words : `${words} →\u00a0${written(day)}`;
};

/** Why a day was rolled: `Saturday, Sunday and New Year’s Day are not working days.` Empty if it was not. */
export const passedWords = ({ passed }: Reckoned): string => {
  if (passed.length === 0) return '';
  const names = [...new Set(passed.map(({ day, holiday }) => holiday ?? weekdayInFull(day)))];
  return `${namesInWords(names)} ${names.length === 1 ? 'is not a working day' : 'are not working days'}.`;
};
