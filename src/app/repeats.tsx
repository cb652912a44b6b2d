/** @jsxImportSource preact */
/** How often a task or an event repeats: its two fields, and in words. */
import { type Every, everies, recurrenceOf } from '../base/recurrence.ts';
import { useFrame } from './frame.tsx';
import { Icon } from './icon.tsx';
import { dayWords, type Writing } from './moments.tsx';
import { fieldsOf } from './records/field.tsx';
import { day, type History, line, oneOrNone, optional } from './records/kinds.tsx';

type Repeated = { rrule: string | null };

/** What repeats, as forms send it. */
export type RepeatsInput = { repeats: Every | null; repeatsUntil: string | null };

type Repeating = {
  record: Repeated;
  line: object;
  body: RepeatsInput;
  filter: object;
  sort: string;
  choices: object;
};

const everyNames: Record<Every, string> = {
  day: 'Every day',
  workday: 'Every working day',
  week: 'Every week',
  fortnight: 'Every two weeks',
  month: 'Every month',
  quarter: 'Every quarter',
  year: 'Every year',
};

/** The two fields, for the list of all fields of what repeats. */
export const repeatsAmong = {
  repeats: {
    label: 'Repeats',
    kind: oneOrNone(
      everies.map((value) => ({ value, name: everyNames[value] })),
      'Never',
    ),
    edit: {
      name: 'repeats',
      value: ({ rrule }: Repeated) => rrule && recurrenceOf(rrule).every,
    },
  },
  until: {
    label: 'Repeats until',
    kind: optional(day),
    edit: {
      name: 'repeatsUntil',
      value: ({ rrule }: Repeated) => rrule && recurrenceOf(rrule).until,
    },
  },
} as const;

/** The two fields alone. */
export const repeatFields = fieldsOf<Repeating>()(repeatsAmong);

/** How often, within a sentence: `every month`. */
export const everyWords = (every: Every): string => everyNames[every].toLowerCase();

/** A rule in words, within a sentence: `every month until Fri 31 Dec 2027`. */
export const repeatsWords = (rrule: string, today: string, as: Writing): string => {
  const { every, until } = recurrenceOf(rrule);
  const often = everyWords(every);
  return until === null ? often : `${often} until ${dayWords(until, today, as)}`;
};

/** A rule as audit entries have it: how often it repeats, and until when, is one. */
export const ruleHistory = {
  label: repeatsAmong.repeats.label,
  kind: {
    ...line,
    said: (rrule: string, history: History) => repeatsWords(rrule, history.today, history),
  },
};

/** A rule as a sentence for whoever looks at the page: `Repeats every month`. */
export const useRepeats = (rrule: string): string => {
  const frame = useFrame();
  return `Repeats ${repeatsWords(rrule, frame.today, frame)}`;
};

/** The sentence, among a page's facts. */
export const Repeats = ({ rrule }: { rrule: string }) => <span>{useRepeats(rrule)}</span>;

/** That something repeats, as a sign; how often is said too. */
export const RepeatsSign = ({ rrule }: { rrule: string }) => {
  const words = useRepeats(rrule);
  return (
    <span class="muted" title={words}>
      <Icon name="repeat" />
      <span class="hide">{words}</span>
    </span>
  );
};
