import { dayIn } from '../base/calendar-date.ts';
import { dayWords, type WritingIn } from './moments.tsx';

/** Somebody who can be chosen for work. */
export type Pickable = { id: string; name: string; awayUntil?: string | null };

/** The name of somebody as a picker shows it: `Ben Lane (away until Thu 3 Dec)` if they are away today. */
export const pickedName = (
  { name, awayUntil }: Pick<Pickable, 'name' | 'awayUntil'>,
  as: WritingIn,
): string => {
  if (!awayUntil) return name;
  const today = dayIn(new Date(), as.timeZone);
  return `${name} (away until ${dayWords(awayUntil, today, as)})`;
};

/** People as the options of a picker. */
export const peopleOptions = (people: readonly Pickable[], as: WritingIn) =>
  people.map((one) => ({ value: one.id, name: pickedName(one, as) }));
