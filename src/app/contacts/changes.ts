import { readContact, updateContact } from '../../contacts/contact.ts';
import { customFieldsOn } from '../../custom-fields/custom-field.ts';
import type { Actor } from '../../record/actor.ts';
import { customFieldTexts, sentAs } from '../custom-fields.tsx';
import { changedOnly, type Fields, joined, withConflictCheck } from '../fields.ts';
import { changeFrom, textsOf } from './fields.tsx';

/**
 * Changes a contact by a form on its page or on its lead's page. Throws `Refusal` conflict for a
 * field that somebody else changed in the meantime, and as `updateContact` does.
 */
export const changeContactBy = async (actor: Actor, id: string, fields: Fields) => {
  const [now, defined] = await Promise.all([
    readContact(actor, id),
    customFieldsOn(actor, 'CONTACT'),
  ]);
  const several = defined.filter(({ type }) => type === 'MULTI_SELECT').map(sentAs);
  const changed = changedOnly(joined(fields, several));
  const untouched = withConflictCheck(actor, changed, async (reader) => {
    const contact = await readContact(reader, id);
    return {
      ...textsOf(contact),
      ...customFieldTexts({ defined, customFields: contact.customFields }),
    };
  });
  await updateContact(untouched, id, changeFrom(changed, now, defined));
};
