/** Finds what an administrator names by address or name. Verbs take ids. */
import { listKeys, namedKeys } from '../api-keys/list.ts';
import { isId } from '../base/columns.ts';
import { invalid, notFound, Refusal } from '../base/refusal.ts';
import { listFirms } from '../firm/firm.ts';
import { memberWithEmail } from '../firm/member.ts';
import { listRoles } from '../firm/role.ts';
import type { Runs } from '../postgres/pool.ts';
import type { Reader } from '../record/actor.ts';

/**
 * The firm with this id, or the only one if no id is given. Throws `Refusal` not_found for an
 * unknown id, and invalid_request if there is none or a choice must be made.
 */
export const findFirm = async (database: Runs, id: string | undefined) => {
  const all = await listFirms(database);
  if (id !== undefined) {
    const found = all.find((one) => one.id === id);
    if (!found) throw notFound('No firm has this id. `matterhorn firm list` shows them.');
    return found;
  }
  const [only, another] = all;
  if (!only) throw invalid('There is no firm yet. Make one with `matterhorn firm apply FILE`.');
  if (another)
    throw invalid(
      'There are several firms: say which with --firm ID. `matterhorn firm list` shows them.',
    );
  return only;
};

/** The member with this email address. Throws `Refusal` not_found. */
export const findMember = async (reader: Reader, email: string) => {
  const found = await memberWithEmail(reader, email);
  if (found) return found;
  throw notFound(
    'No member of the firm has this email address. `matterhorn member list` shows them.',
  );
};

/**
 * The role with this name; without a name, the only role besides Owner. Throws `Refusal`
 * invalid_request.
 */
export const findRole = async (reader: Reader, name: string | undefined) => {
  const roles = await listRoles(reader);
  const others = roles.filter((one) => !one.holdsAll);
  const found =
    name === undefined
      ? others.length === 1 && others[0]
      : roles.find((one) => one.name === name.trim());
  if (found) return found;
  const known = roles.map((one) => JSON.stringify(one.name)).join(', ');
  throw invalid(`The role must be one of the firm's: ${known}.`);
};

/**
 * The id of a key, given its id or the name of the only valid key with that name. If a rotated key
 * and its successor are both valid, `newest` takes the successor. Throws `Refusal` not_found, and
 * conflict if several keys have the name.
 */
export const findKeyId = async (
  reader: Reader,
  text: string,
  { newest }: { newest: boolean },
): Promise<string> => {
  if (isId(text) && (await listKeys(reader)).some(({ id }) => id === text)) return text;
  const called = await namedKeys(reader, text.trim());
  const meant = newest ? [...new Map(called.map((one) => [one.familyId, one])).values()] : called;
  const [only, another] = meant;
  if (!only) {
    throw notFound('No key of the firm has this id or name. `matterhorn key list` shows them.');
  }
  if (another) {
    throw new Refusal(
      'conflict',
      `Several keys have this name: ${meant.map(({ id }) => id).join(', ')}. Name one by its id; \`matterhorn key list\` tells them apart.`,
    );
  }
  return only.id;
};
