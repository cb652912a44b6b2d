/** @jsxImportSource preact */
import { isPermission } from '../../contents.ts';
import { listMembers } from '../../firm/member.ts';
import type { Permission } from '../../firm/permissions.ts';
import { createRole, listRoles, removeRole, setPermissions, updateRole } from '../../firm/role.ts';
import { Dialog, Opens } from '../dialog.tsx';
import type { Fields } from '../fields.ts';
import { Form, Text } from '../form.tsx';
import { Icon } from '../icon.tsx';
import { Panel } from '../list.tsx';
import { form, type Page, page, type Shown, type Visit } from '../visit.ts';
import { Rename } from './name-list.tsx';
import { permissionGroups, permissionName } from './permission-names.ts';
import { afterProof } from './proof.ts';
import { SettingsAct, SettingsPage } from './sections.tsx';

const here = '/settings/roles';

type Role = Awaited<ReturnType<typeof listRoles>>[number];

/** Whether the member has every permission of a role. Only then may they change it or give it. */
export const covers = ({ session }: Visit, role: Pick<Role, 'holdsAll' | 'permissions'>) =>
  session.isOwner ||
  (!role.holdsAll && role.permissions.every((one) => session.may(one as Permission)));

const showRoles = async (visit: Visit): Promise<Shown> => {
  const [listed, members] = await Promise.all([listRoles(visit.actor), listMembers(visit.actor)]);
  const roles = [...listed.filter(isOwner), ...listed.filter((role) => !isOwner(role))];
  const counts = Map.groupBy(members, ({ roleId }) => roleId);
  return {
    title: 'Roles',
    place: '/settings',
    main: (
      <SettingsPage
        title="Roles"
        says="What each role may do. Owners may do everything, and see private leads."
        action={
          <Opens dialog="new-role">
            <>
              <Icon name="plus" />
              New role
            </>
          </Opens>
        }
      >
        <Dialog id="new-role" title="New role">
          <Form action={`${here}/new`} save="Make the role" within="new">
            <Text
              name="name"
              label="Name"
              hint="You choose what it may do afterwards."
              required
              first
            />
          </Form>
        </Dialog>
        <Form action={here} look="stack">
          <Matrix roles={roles} visit={visit} />
          <div class="row end">
            <button class="button primary">Save</button>
          </div>
        </Form>
        <Panel id="names" title="Names">
          <ul class="rows">
            {roles.map((role) => (
              <RoleRow
                role={role}
                members={counts.get(role.id)?.length ?? 0}
                isMine={!isOwner(role) && covers(visit, role)}
              />
            ))}
          </ul>
        </Panel>
      </SettingsPage>
    ),
  };
};

const isOwner = ({ holdsAll }: Role) => holdsAll;

const Matrix = ({ roles, visit }: { roles: Role[]; visit: Visit }) => (
  <div class="table-box">
    <table class="table matrix">
      <caption class="hide">What each role may do</caption>
      <thead>
        <tr>
          <th scope="col">May</th>
          {roles.map((role) => (
            <th scope="col">
              {role.name}
              {!isOwner(role) && covers(visit, role) && (
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
            <th scope="rowgroup" colSpan={roles.length + 1}>
              {group.name}
            </th>
          </tr>
          {group.permissions.map((permission) => (
            <tr>
              <th scope="row">
                {permissionName(permission)}
                <small>{permission}</small>
              </th>
              {roles.map((role) => (
                <td>
                  <Box role={role} permission={permission} visit={visit} />
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      ))}
    </table>
  </div>
);

type BoxProps = { role: Role; permission: Permission; visit: Visit };

const Box = ({ role, permission, visit }: BoxProps) => {
  const label = `${role.name}: ${permissionName(permission)}`;
  if (isOwner(role)) {
    return (
      <>
        <Icon name="check" />
        <span class="hide">{label}</span>
      </>
    );
  }
  const sent = visit.refused?.action === here ? visit.refused.fields : undefined;
  const held: string[] = sent ? sent.all(`may.${role.id}`) : role.permissions;
  return (
    <label>
      <input
        type="checkbox"
        name={`may.${role.id}`}
        value={permission}
        checked={held.includes(permission)}
        disabled={!covers(visit, role) || !visit.may(permission)}
        aria-label={label}
      />
    </label>
  );
};

type RowProps = { role: Role; members: number; isMine: boolean };

const RoleRow = ({ role, members, isMine }: RowProps) => (
  <li>
    {isMine ? (
      <Rename one={role} action={`${here}/${role.id}`} />
    ) : (
      <div class="grow">{role.name}</div>
    )}
    <span class="muted">{members === 1 ? '1 member' : `${members} members`}</span>
    {isMine && (
      <SettingsAct
        action={`${here}/${role.id}/remove`}
        look="button quiet icon-only"
        label={`Remove ${role.name}`}
      >
        <Icon name="trash-2" />
      </SettingsAct>
    )}
  </li>
);

/**
 * Stores the roles that were changed on the page, and leaves alone what others changed in the
 * meantime.
 */
const savePermissions = async ({ actor }: Visit, fields: Fields) => {
  const wishes = new Map<string, Permission[]>();
  for (const id of fields.all('roles')) {
    const wished = fields.all(`may.${id}`).filter(isPermission).sort();
    const before = (fields.text(`was.${id}`) ?? '').split(' ').filter(Boolean).sort();
    if (wished.join(' ') !== before.join(' ')) wishes.set(id, wished);
  }
  await setPermissions(actor, wishes);
  return `${here}?saved`;
};

const may = 'members:write';

export const rolePages: Page[] = [
  page(here, may, showRoles),
  form(here, may, afterProof(here, savePermissions), showRoles),
  form(
    `${here}/new`,
    may,
    afterProof(`${here}?do=new-role`, async ({ actor }, fields) => {
      await createRole(actor, { name: fields.text('name') ?? '', permissions: [] });
      return here;
    }),
    showRoles,
  ),
  form(
    `${here}/:id`,
    may,
    afterProof(here, async ({ actor, parameters }: Visit<'/:id'>, fields) => {
      await updateRole(actor, parameters.id, { name: fields.text('name') ?? '' });
      return here;
    }),
    showRoles,
  ),
  form(
    `${here}/:id/remove`,
    may,
    afterProof(here, async ({ actor, parameters }: Visit<'/:id'>) => {
      await removeRole(actor, parameters.id);
      return here;
    }),
    showRoles,
  ),
];
