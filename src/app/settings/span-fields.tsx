/** @jsxImportSource preact */
import { capitalised } from '../../base/wording.ts';
import { type Counting, isTriggerGone, triggerKey } from '../../date-rules/trigger.ts';
import type { Span } from '../../firm/reckoning.ts';
import type { ListTrigger } from '../../task-lists/table.ts';
import { triggerLabel, unitNames } from '../date-rules.ts';
import type { Fields } from '../fields.ts';
import { Choice, Text } from '../form.tsx';

const units = Object.entries(unitNames).map(([value, [, name]]) => ({
  value,
  name: capitalised(name),
}));

const directions = [
  { value: 'after', name: 'After' },
  { value: 'before', name: 'Before' },
];

type SpanProps = {
  /** Without one, the fields of a new one. */
  now: ReturnType<typeof spanTexts> | undefined;
};

/** How many of which unit. */
export const SpanControls = ({ now }: SpanProps) => (
  <div class="pair">
    <Text
      name="amount"
      label="How many"
      ask="Enter a number."
      inputmode="numeric"
      value={now?.amount}
      required
    />
    <Choice name="unit" label="Unit" value={now?.unit ?? 'days'} options={units} />
  </div>
);

/** On which side of the day that it is counted from. */
export const DirectionControl = ({ now }: SpanProps) => (
  <Choice
    name="direction"
    label="Before or after"
    value={now?.direction ?? 'after'}
    options={directions}
  />
);

/** What can be counted from, as options, and its own, even if that is a field that was removed. */
export const triggerOptions = (
  all: readonly Counting<ListTrigger>[],
  own?: Counting<ListTrigger | null>,
) => {
  const trigger = own && isTriggerGone(own) ? own.trigger : null;
  const offered = own && trigger ? [...all, { ...own, trigger }] : all;
  return offered.map((one) => ({ value: triggerKey(one), name: triggerLabel(one) }));
};

/** A span as a form sends it: what is before a day is a word, not a sign. */
export const spanTexts = ({ amount, unit }: Span) => ({
  amount: String(Math.abs(amount)),
  unit,
  direction: amount < 0 ? 'before' : 'after',
});

/** The span that was sent. The verb judges what is no number or no choice. */
export const spanIn = (fields: Fields): Span => {
  const amount = Number(fields.text('amount')?.match(/^\d{1,9}$/)?.[0] ?? Number.NaN);
  return {
    amount: fields.text('direction') === 'before' && amount > 0 ? -amount : amount,
    unit: fields.text('unit') as Span['unit'],
  };
};
