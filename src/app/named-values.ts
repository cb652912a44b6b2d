import type { CustomField } from '../custom-fields/custom-field.ts';
import { namesAmong } from '../leads/timeline.ts';
import type { NameOf } from './records/kinds.tsx';
import type { Visit } from './visit.ts';

type OfRecord = { defined: readonly CustomField[]; customFields: Record<string, unknown> };

/**
 * The names of the contacts and matters that a record's custom fields refer to, as far as the
 * visitor may see them.
 */
export const namesInValues = async (
  { actor, may }: Pick<Visit, 'actor' | 'may'>,
  { defined, customFields }: OfRecord,
): Promise<NameOf> => {
  const named = defined.filter(
    ({ type }) =>
      (type === 'CONTACT' && may('contacts:read')) || (type === 'MATTER' && may('matters:read')),
  );
  const ids = named.flatMap(({ name }) => (customFields[name] as string | null) ?? []);
  const names = await namesAmong(actor, ids);
  return (id) => names.get(id);
};
