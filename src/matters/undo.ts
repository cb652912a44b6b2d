import { cameWithPrivateLead } from '../contacts/privacy.ts';
import type { Write } from '../record/write.ts';
import { changeClients } from './clients.ts';
import { matterForChange } from './list.ts';
import { dropMatter } from './matter.ts';
import { type Client, clientsOf } from './people.ts';

/**
 * Deletes a matter because what made it is undone, inside a larger write. First, clients who came with
 * a private lead are taken off it: a deleted matter keeps its clients visible, but after an undo they
 * are hidden with their lead again. Returns whether the matter was still there.
 */
export const undoMatter = async (w: Write, id: string, how?: 'quietly'): Promise<boolean> => {
  const clients = await clientsOf(w, id);
  const hidden = await cameWithPrivateLead(
    w,
    clients.map(({ contactId }) => contactId),
  );
  if (hidden.length > 0) {
    const left = clients.filter(({ contactId }) => !hidden.includes(contactId));
    const holder = (is: (client: Client) => boolean) =>
      (left.find(is) ?? left[0])?.contactId ?? null;
    await changeClients(w, id, {
      contactIds: left.map(({ contactId }) => contactId),
      primaryId: holder(({ isPrimary }) => isPrimary),
      billRecipientId: holder(({ isBillRecipient }) => isBillRecipient),
    });
  }
  const stored = await matterForChange(w, id);
  if (!stored) return false;
  await dropMatter(w, stored, how);
  return true;
};
