import { invalidField, notFoundField } from '../base/refusal.ts';
import { isNotTheIdOf, type Rule } from '../base/rule.ts';
import type { Reader } from '../record/actor.ts';
import { orderedList } from '../record/ordered-list.ts';
import { notHiredReason } from './table.ts';

/** The firm's reasons for not being hired. Leads keep a reason that was removed. */
export const notHiredReasonList = orderedList(notHiredReason, 'reason');

/** What a new firm starts with. It may change the list. */
export const usualReasons = [
  'Could not be reached',
  'Chose another firm',
  'Outside our practice',
  'Conflict of interest',
  'Fees',
  'No case',
  'Duplicate',
  'Other',
];

const mustBeAReason: Rule = {
  rule: 'must be one of the reasons of the firm',
  kind: { kind: 'choose', one: 'a reason' },
};

/** The reason among the firm's. Throws `Refusal` invalid_request if none is given, not_found. */
export const reasonAmong = async (reader: Reader, id: string | null) => {
  if (!id) throw invalidField('reasonId', mustBeAReason);
  const found = (await notHiredReasonList.all(reader)).find((reason) => reason.id === id);
  if (!found) throw notFoundField('reasonId', isNotTheIdOf('a reason of the firm'));
  return found;
};
