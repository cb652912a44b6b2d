import { isPermission } from '../../contents.ts';
import type { Permission } from '../../firm/permissions.ts';
import { listRoles } from '../../firm/role.ts';
import type { Reader } from '../../record/actor.ts';
import { readLog } from '../../visibility/log.ts';
import type { Fields } from '../fields.ts';
import type { Guard } from '../visit.ts';
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

const isChanged = ({ began, wished }: RoleEdit) => began?.join(' ') !== wished.join(' ');

/** What a role would hold if an edit that began earlier were done to what it holds now. */
export const withEdit = (now: readonly string[], { began, wished }: RoleEdit): string[] =>
  began ? [...beyond(now, beyond(began, wished)), ...beyond(beyond(wished, began), now)] : wished;

/** The edits of those roles that the member changed. */
export const changesIn = (fields: Fields) =>
  new Map([...editsIn(fields)].filter(([, edit]) => isChanged(edit)));

/** A role that two people changed is refused, and says who changed what. */
export const rolesGuard: Guard = {
  now: async (reader) =>
    Object.fromEntries(
      (await listRoles(reader)).map(({ id, permissions }) => [id, permissions.join(' ')]),
    ),
  sent: (fields) =>
    Object.fromEntries([...changesIn(fields)].map(([id, { wished }]) => [id, wished.join(' ')])),
  words: async (reader, changed, fields) => {
    const edits = editsIn(fields);
    const roles = (await listRoles(reader)).filter(({ id }) => changed.includes(id));
    const words = await Promise.all(
      roles.map((role) => wordClash(reader, { role, began: edits.get(role.id)?.began ?? [] })),
    );
    return `${words.join(' ')} The table shows this now, and your own changes are marked. Save again to keep both, or undo yours.`;
  },
};

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
