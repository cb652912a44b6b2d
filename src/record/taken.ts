import { sql } from 'drizzle-orm';
import { constraintOf } from '../base/constraint.ts';
import { Refusal } from '../base/refusal.ts';
import { plainly } from '../base/rule.ts';
import { type Given, statement } from '../postgres/statement.ts';
import type { Write } from './write.ts';

/**
 * For the `catch` of a write that stores something unique: if it broke the constraint of this name,
 * the error becomes a `Refusal` conflict with this message.
 */
export const refuseTaken =
  (constraint: string, message: string) =>
  (error: unknown): never => {
    if (constraintOf(error) !== constraint) throw error;
    throw new Refusal('conflict', message);
  };

/**
 * `Refusal` conflict for a name that another one has: `nameTaken('role of the firm')`. It is a fault of the field `name`, so
 * that a form leads to it.
 */
export const nameTaken = (noun: string) => {
  const words = `Another ${noun} has this name already`;
  const rule = plainly(words, `must not be the name of another ${noun}`);
  return new Refusal('conflict', `${words}.`, {}, [{ field: 'name', ...rule }]);
};

/** `refuseTaken` for the constraint that keeps names apart. */
export const refuseTakenName =
  (constraint: string, noun: string) =>
  (error: unknown): never => {
    throw constraintOf(error) === constraint ? nameTaken(noun) : error;
  };

/** Waits until no other write of the firm gives a name on this list; what is read afterwards has their names. */
export const nameInTurn = (w: Write, list: string) => w.first(turn, { firmId: w.firmId, list });

const turn = statement(
  ({ firmId, list }: Given<{ firmId: string; list: string }>) => sql<object>`
    select pg_advisory_xact_lock(hashtext(${list}), hashtext(${firmId}))`,
);

type Named = { id: string; name: string };

/**
 * `nameTaken` for a name that differs from another one by capitals alone, if a person gives it; after `nameInTurn`. Names
 * that stand so stay, also while the rest of their record changes, and a file that sets up a firm gives the names that it has.
 */
export const refuseLike = (
  { memberId }: Pick<Write, 'memberId'>,
  noun: string,
  all: readonly Named[],
  name: string,
  self?: Named,
) => {
  if (memberId === null) return;
  const others = all.filter(({ id }) => id !== self?.id);
  const names = others.map((one) => one.name);
  if (isTaken(names, name, self?.name)) throw nameTaken(noun);
};

/** Whether one of the others has this name, in capitals or not. Who keeps their `own` name but for capitals must differ from each. */
export const isTaken = (others: readonly string[], name: string, own?: string): boolean => {
  const keepsOwn = own !== undefined && inSmall(own) === inSmall(name);
  return others.some((one) => (keepsOwn ? one === name : inSmall(one) === inSmall(name)));
};

/** A name as it is compared with others. */
export const inSmall = (name: string) => name.trim().toLowerCase();
