/** @jsxImportSource preact */
import { dayIn } from '../../base/calendar-date.ts';
import { useFrame } from '../frame.tsx';
import { Icon } from '../icon.tsx';
import { daysBetween, dayWords } from '../moments.tsx';

type Limitation = {
  solDate: string | null;
  limitationMetOn: string | null;
  /** Who said so. */
  limitationMetBy: string | null;
  /** Whether its practice area expects one. */
  expectsLimitationDate: boolean;
};

/** How near a limitation date is: over 90 days, over 30, nearer, past. */
export const toneOf = (days: number): 'far' | 'soon' | 'near' | 'past' => {
  if (days < 0) return 'past';
  if (days <= 30) return 'near';
  return days <= 90 ? 'soon' : 'far';
};

/** How far off a day is: `in 23 days`, `today`, `11 days past`. */
export const awayWords = (days: number): string => {
  if (days === 0) return 'today';
  const words = `${Math.abs(days)} ${Math.abs(days) === 1 ? 'day' : 'days'}`;
  return days < 0 ? `${words} past` : `in ${words}`;
};

/** A matter's limitation date on a line: in words, and by its colour. */
export const Due = (limitation: Limitation) => {
  const { solDate, limitationMetOn, limitationMetBy, expectsLimitationDate } = limitation;
  const { timeZone, now } = useFrame();
  const today = dayIn(now, timeZone);
  if (limitationMetOn) {
    return (
      <span class="due met" title={limitationMetBy ? `Said by ${limitationMetBy}` : undefined}>
        <Icon name="check" />
        Met on {dayWords(limitationMetOn, today)}
      </span>
    );
  }
  if (solDate === null) {
    return <span class={expectsLimitationDate ? 'due soon' : 'muted'}>None set</span>;
  }
  const days = daysBetween(today, solDate);
  const tone = toneOf(days);
  return (
    <span class={`due ${tone}`}>
      <Icon name={tone === 'near' || tone === 'past' ? 'triangle-alert' : 'clock'} />
      {awayWords(days)}, <time dateTime={solDate}>{dayWords(solDate, today)}</time>
    </span>
  );
};
