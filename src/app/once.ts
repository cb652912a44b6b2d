import { newId } from '../base/columns.ts';
import type { Repeatable } from '../record/actor.ts';
import type { Fields } from './fields.ts';
import type { Visit } from './visit.ts';

/** The hidden field that tells a repeated form from a second one. */
export const onceField = 'once';

/** What a form says in that field: each time a form is shown it has another. */
export const newOnce = (): string => newId();

/**
 * For a form that makes something in one write. Sent again unchanged, because the answer was lost or
 * a button was pressed twice, it makes nothing and gets the first answer. That holds for a day.
 */
export const once =
  <Seen extends Visit, Next>(change: (visit: Seen, fields: Fields) => Promise<Next>) =>
  (visit: Seen, fields: Fields): Promise<Next> => {
    const repeatable = fields.raw(onceField) ? repeatableOf(visit, fields) : undefined;
    return change({ ...visit, actor: { ...visit.actor, repeatable } }, fields);
  };

/** What was typed is part of the key: a form that was changed after all is another one. */
const repeatableOf = ({ session, path }: Visit, fields: Fields): Repeatable => {
  const sent = fields.names.map((name) => [name, fields.all(name)]);
  const hasher = new Bun.CryptoHasher('sha256').update(JSON.stringify([path, sent]));
  const digest = hasher.digest('hex');
  return { keyFamilyId: session.member.id, idempotencyKey: `form ${digest}`, fingerprint: digest };
};
