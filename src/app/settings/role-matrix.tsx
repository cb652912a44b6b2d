/** @jsxImportSource preact */

import { isPermission } from '../../contents.ts';
import type { Permission } from '../../firm/permissions.ts';
import { listRoles } from '../../firm/role.ts';
import type { Reader } from '../../record/actor.ts';
import { readLog } from '../../visibility/log.ts';
import { Alert } from '../alerts.tsx';
import type { Fields } from '../fields.ts';
import { Icon } from '../icon.tsx';
import { addressWith } from '../list.tsx';
import type { Guard, Visit } from '../visit.ts';
import { permissionGroups, permissionName, permissionReach } from './permission-names.ts';

export type Role = Awaited<ReturnType<typeof listRoles>>[number];

export const isOwner = ({ holdsAll }: Role) => holdsAll;

/** Whether the member has every permission of a role. Only then may they change it or give it. */
export const covers = ({ session }: Visit, role: Pick<Role, 'holdsAll' | 'permissions'>) =>
  session.isOwner ||
  (!role.holdsAll && role.permissions.every((one) => session.may(one as Permission)));

type Props = { roles: Role[]; visit: Visit; action: string };

/**
 * What each role may do, as one form. Changed cells are marked, and the bar that saves them stays in
 * view, by styles alone. After a refusal, what was changed is still changed. A phone shows one role:
 * the address says which.
 */
export const RoleMatrix = ({ roles, visit, action }: Props) => {
  const refused = visit.refused?.action === action ? visit.refused : undefined;
  const page = visit.query.get('page');
  if (refused) refused.isShown = true;
  const edits = refused && editsIn(refused.fields);
  const wanted = refused?.fields.text('role') ?? visit.query.get('role');
  const picked = roles.find(({ id }) => id === wanted) ?? roles.find((role) => !isOwner(role));
  const columns = roles.map((role): Column => {
    const edit = edits?.get(role.id);
    return {
      role,
      isMine: !isOwner(role) && covers(visit, role),
      isPicked: role === picked,
      shown: edit ? withEdit(role.permissions, edit) : role.permissions,
    };
  });
  return (
    <>
      <RolePick roles={roles} picked={picked} action={action} page={page} />
      <details class="fold show-scopes" id="scopes">
        <summary>
          <Icon name="chevron-right" />
          Show scopes
        </summary>
        <p class="muted">Below each line is the name that API keys and programs have for it.</p>
      </details>
      <form
        class="matrix-form"
        method="post"
        action={addressWith(action, new URLSearchParams(), { page })}
      >
        <input type="hidden" name="role" value={picked?.id} />
        {refused && (
          <Alert>
            <p>{refused.refusal.message}</p>
          </Alert>
        )}
        <Matrix columns={columns} visit={visit} />
        <div class="save-bar">
          <p class="muted if-same">A change applies at once to everybody with the role.</p>
          <p role="status">
            <span class="if-changed">
              <b>Not saved yet.</b> The changes are marked.
            </span>
          </p>
          <button class="button if-changed" form="role-pick">
            Undo
          </button>
          <button class="button primary">Save</button>
        </div>
      </form>
    </>
  );
};

type PickProps = {
  roles: readonly Role[];
  picked: Role | undefined;
  action: string;
  page: string | null;
};

/** On a phone: the role whose permissions are shown. Sending it shows the page anew. */
const RolePick = ({ roles, picked, action, page }: PickProps) => (
  <form id="role-pick" class="role-pick" method="get" action={action}>
    {page && <input type="hidden" name="page" value={page} />}
    <label class="label" for="role">
      Role
    </label>
    <span class="select">
      <select class="input" id="role" name="role" data-script="role-pick">
        {roles.map(({ id, name }) => (
          <option value={id} selected={id === picked?.id}>
            {name}
          </option>
        ))}
      </select>
      <Icon name="chevron-down" />
    </span>
    <button class="button only-plain">Show</button>
  </form>
);

/** A role in the table, with the permissions that its boxes show. A phone shows the one picked. */
type Column = { role: Role; isMine: boolean; isPicked: boolean; shown: readonly string[] };

const Matrix = ({ columns, visit }: { columns: Column[]; visit: Visit }) => (
  <div class="table-box">
    <table class="table matrix">
      <caption class="hide">What each role may do</caption>
      <thead>
        <tr>
          <th scope="col">May</th>
          {columns.map(({ role, isMine, isPicked }) => (
            <th scope="col" class={isPicked ? 'shown' : undefined} data-column={role.id}>
              {role.name}
              {isMine && (
                <>
                  <input type="hidden" name="roles" value={role.id} />
                  <input type="hidden" name={`was.${role.id}`} value={role.permissions.join(' ')} />
                </>
              )}
            </th>
          ))}
        </tr>
      </thead>
      {permissionGroups.map((group) => (
        <tbody>
          <tr class="group">
            <th scope="rowgroup" colSpan={columns.length + 1}>
              <span>{group.name}</span>
            </th>
          </tr>
          {group.permissions.map((permission) => (
            <tr>
              <th scope="row">
                {permissionName(permission)}
                <small class="scope">{permission}</small>
                {permissionReach(permission) && <small>{permissionReach(permission)}</small>}
              </th>
              {columns.map((column) => (
                <Cell {...column} permission={permission} visit={visit} />
              ))}
            </tr>
          ))}
        </tbody>
      ))}
    </table>
  </div>
);

type CellProps = Column & { permission: Permission; visit: Visit };

const Cell = ({ role, isMine, isPicked, shown, permission, visit }: CellProps) => {
  const label = `${role.name}: ${permissionName(permission)}`;
  const picked = isPicked ? 'shown' : '';
  if (isOwner(role)) {
    return (
      <td class={picked} data-column={role.id}>
        <Icon name="check" />
        <span class="hide">{label}</span>
      </td>
    );
  }
  const isShown = shown.includes(permission);
  const was = isShown === role.permissions.includes(permission) ? '' : 'was';
  return (
    <td class={`${picked} ${was}`.trim()} data-column={role.id}>
      <label>
        <input
          type="checkbox"
          name={`may.${role.id}`}
          value={permission}
          checked={isShown}
          disabled={!isMine || !visit.may(permission)}
          aria-label={label}
        />
      </label>
    </td>
  );
};

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
