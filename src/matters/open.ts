import { isId } from '../base/columns.ts';
import { createContact, readContact } from '../contacts/contact.ts';
import type { NewContact } from '../contacts/wire.ts';
import { type Acting, write } from '../record/write.ts';
import { createMatter } from './matter.ts';
import { setTypeAndFormerNumber, type TypeAndFormerNumber } from './type-and-former-number.ts';
import type { NewMatter } from './wire.ts';

export type Opening = {
  matter: NewMatter;
  /** Its first client, where that is no contact yet. */
  client: NewContact | undefined;
  typeAndFormerNumber: TypeAndFormerNumber;
};

/**
 * Opens a matter: makes the contact of a new client, and the matter with its type and former number, all
 * of it in one write. Without a title it has its first client's name. Throws `Refusal` as
 * `createContact`, `createMatter` and `setTypeAndFormerNumber` do.
 */
export const openMatter = (actor: Acting, { matter, client, typeAndFormerNumber }: Opening) =>
  write(actor, async (w) => {
    const made = client && (await createContact(w, client));
    const chosen = matter.clientContactIds ?? [];
    const clientContactIds = made ? [made.id, ...chosen] : chosen;
    const [first = ''] = chosen;
    const contact = made ?? (isId(first) ? await readContact(w, first) : undefined);
    const title = matter.title ?? contact?.name;
    const opened = await createMatter(w, { ...matter, clientContactIds, ...(title && { title }) });
    if (typeAndFormerNumber.matterTypeId || typeAndFormerNumber.formerNumber) {
      await setTypeAndFormerNumber(w, opened.id, typeAndFormerNumber);
    }
    return opened;
  });
