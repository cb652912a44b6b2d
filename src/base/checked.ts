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
