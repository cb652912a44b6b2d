import { todayIn } from '../base/calendar-date.ts';
import { dayWords, type WritingIn } from './moments.tsx';

/** Somebody who can be chosen for work. */
export type Pickable = { id: string; name: string; awayUntil?: string | null };

/**
 * The name of somebody as a picker shows it: `Ada Harrow (you)`, or `Ben Lane (away until Thu 3 Dec)` for another one who is
 * away today.
 */
export const pickedName = (
  { id, name, awayUntil }: Omit<Pickable, 'id'> & { id?: string },
  as: WritingIn,
  self?: string,
): string => {
  if (self !== undefined && id === self) return `${name} (you)`;
  if (!awayUntil) return name;
  const today = todayIn(as.timeZone);
  return `${name} (away until ${dayWords(awayUntil, today, as)})`;
};

/** People with the names that a picker shows. */
export const pickedNames = <Person extends Pickable>(people: readonly Person[], as: WritingIn) =>
  people.map((one) => ({ ...one, name: pickedName(one, as) }));

/** People as the options of a picker. */
export const peopleOptions = (people: readonly Pickable[], as: WritingIn, self?: string) =>
  people.map((one) => ({ value: one.id, name: pickedName(one, as, self) }));

/** What a list is filtered by and changed with, its people with the names that a picker shows. */
export const withPickedNames = <Choices extends { members: Pickable[] }>(
  choices: Choices,
  as: WritingIn,
): Choices => ({ ...choices, members: pickedNames(choices.members, as) });
