import type { Static, TSchema } from '@sinclair/typebox';
import { Value } from '@sinclair/typebox/value';
import { explain, type Issue, sentenceOf } from './explain.ts';
import { type Fault, Refusal } from './refusal.ts';

/**
 * Checks values against the shape that the API checks its bodies against, and gives them typed.
 * Throws one `Refusal` invalid_request with all faults; pages word them for people. `known` are faults
 * that the caller has found already.
 */
export const checked = <Shape extends TSchema>(
  shape: Shape,
  values: unknown,
  known: readonly Fault[] = [],
): Static<Shape> => {
  const faults = new Map(known.map((fault) => [fault.field, fault]));
  for (const issue of Value.Errors(shape, values)) {
    const fault = explain(issue as Issue, 'The form');
    if (!faults.has(fault.field)) faults.set(fault.field, fault);
  }
  const [first] = faults.values();
  if (!first) return values as Static<Shape>;
  throw new Refusal('invalid_request', sentenceOf(first), {}, [...faults.values()]);
};

/**
 * Makes all of these checks, and returns what they found. If several refuse, throws one `Refusal` with the faults of all,
 * so that a form names at once what is to be corrected. One that is about no field is thrown as it is.
 */
export const allChecked = async <Found extends readonly unknown[]>(
  ...checks: { [Of in keyof Found]: () => Found[Of] | Promise<Found[Of]> }
): Promise<Found> => {
  const ends = await Promise.allSettled(checks.map(async (check) => check()));
  const errors = ends.flatMap((end) => (end.status === 'rejected' ? [end.reason] : []));
  const [first] = errors;
  if (errors.length === 0) {
    return ends.map((end) => (end as PromiseFulfilledResult<unknown>).value) as unknown as Found;
  }
  const apart = errors.find((error) => !(error instanceof Refusal && error.faults.length > 0));
  if (apart) throw apart;
  const { code, message, headers } = first;
  throw new Refusal(
    code,
    message,
    headers,
    errors.flatMap(({ faults }: Refusal) => faults),
  );
};
