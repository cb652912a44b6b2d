import { Refusal } from '../../base/refusal.ts';
import { isPermission } from '../../contents.ts';
import type { Permission } from '../../firm/permissions.ts';
import { listRoles } from '../../firm/role.ts';
import type { Actor, Reader } from '../../record/actor.ts';
import { readLog } from '../../visibility/log.ts';
import type { Fields } from '../fields.ts';
import { permissionName } from './permission-names.ts';

/**
 * What the form holds of a role: its permissions when the edit began, and those wished for. Without
 * `began` nothing is compared.
 */
type RoleEdit = { began: string[] | undefined; wished: Permission[] };

/** The edits that a form sent, by the role's id. */
export const editsIn = (fields: Fields): Map<string, RoleEdit> =>
  new Map(
    fields.all('roles').map((id) => [
      id,
      {
        began: fields.text(`was.${id}`)?.split(' ').filter(Boolean).sort(),
        wished: fields.all(`may.${id}`).filter(isPermission).sort(),
      },
    ]),
  );

/** Those of one list that the other has not. */
const beyond = (some: readonly string[], others: readonly string[]) =>
  some.filter((one) => !others.includes(one));

export const isChanged = ({ began, wished }: RoleEdit) => began?.join(' ') !== wished.join(' ');

/** What a role would hold if an edit that began earlier were done to what it holds now. */
export const withEdit = (now: readonly string[], { began, wished }: RoleEdit): string[] =>
  began ? [...beyond(now, beyond(began, wished)), ...beyond(beyond(wished, began), now)] : wished;

/**
 * An actor for these edits that must not undo another person's change. If a role that was edited
 * has changed since the edit began, it is refused (`conflict`), and says who changed what.
 */
export const onlyIfUnchanged = (actor: Actor, edits: ReadonlyMap<string, RoleEdit>): Actor => ({
  ...actor,
  precondition: async (reader) => {
    const clashes = (await listRoles(reader)).flatMap((role) => {
      const { began, wished } = edits.get(role.id) ?? {};
      const held = role.permissions.join(' ');
      const isClash = began && held !== began.join(' ') && held !== wished?.join(' ');
      return isClash ? [{ role, began }] : [];
    });
    if (clashes.length === 0) return;
    const words = await Promise.all(clashes.map((clash) => wordClash(reader, clash)));
    throw new Refusal(
      'conflict',
      `${words.join(' ')} The table shows this now, and your own changes are marked. Save again to keep both, or undo yours.`,
    );
  },
});

type Clash = { role: { id: string; name: string; permissions: string[] }; began: string[] };

const wordClash = async (reader: Reader, { role, began }: Clash) => {
  const ofRole = { member: null, key: null, kind: 'role', record: role.id, from: null, to: null };
  const { entries } = await readLog(reader, ofRole, { before: null, max: 20 });
  const last = entries.find(({ changes }) => changes.permissions);
  const said = [
    ...listed('It may now', beyond(role.permissions, began)),
    ...listed('It may no longer', beyond(began, role.permissions)),
  ];
  const who = last?.memberName ?? 'The administrator of the server';
  return `${who} changed the role ${role.name} in the meantime. ${said.join(' ')}`;
};

const listed = (start: string, permissions: string[]) =>
  permissions.length > 0
    ? [`${start}: ${permissions.map((one) => permissionName(one).toLowerCase()).join('; ')}.`]
    : [];
