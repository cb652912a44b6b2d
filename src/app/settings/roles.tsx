/** @jsxImportSource preact */
import { listMembers } from '../../firm/member.ts';
import { createRole, listRoles, removeRole, setPermissions, updateRole } from '../../firm/role.ts';
import { Dialog, Opens } from '../dialog.tsx';
import type { Fields } from '../fields.ts';
import { Form, Text } from '../form.tsx';
import { Icon } from '../icon.tsx';
import { addressWith, Foot, pageIn } from '../list.tsx';
import { counted } from '../numbers.ts';
import { Panel } from '../page-parts.tsx';
import { namesInWords, saying } from '../said.ts';
import { form, type Page, page, type Shown, type Visit } from '../visit.ts';
import { Rename, removedWords } from './name-list.tsx';
import { Removes } from './removes.tsx';
import { changesIn, covers, isOwner, type Role, RoleMatrix, rolesGuard } from './role-matrix.tsx';
import { settingsPage } from './sections.tsx';

const path = '/settings/roles';

const showRoles = async (visit: Visit): Promise<Shown> => {
  const [listed, members] = await Promise.all([listRoles(visit.actor), listMembers(visit.actor)]);
  const all = [...listed.filter(isOwner), ...listed.filter((role) => !isOwner(role))];
  // Their table is one form, and that of a thousand roles had more fields than a form may have.
  const part = pageIn(visit.query);
  const roles = all.slice(part.offset, part.offset + part.limit);
  const counts = Map.groupBy(members, ({ roleId }) => roleId);
  return settingsPage({
    title: 'Roles',
    intro: 'What each role may do. Owners may do everything, and see private leads.',
    action: (
      <Opens dialog="new-role">
        <Icon name="plus" />
        New role
      </Opens>
    ),
    main: (
      <>
        <Dialog id="new-role" title="New role">
          <Form action={`${path}/new`} save="Create role" within="new">
            <Text
              name="name"
              label="Name"
              hint="You choose its permissions afterwards."
              required
              first
            />
          </Form>
        </Dialog>
        <RoleMatrix roles={roles} visit={visit} action={path} />
        {all.length > part.limit && <Foot part={part} total={all.length} shown={roles.length} />}
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
      </>
    ),
  });
};

type RowProps = { role: Role; members: number; isMine: boolean };

const RoleRow = ({ role, members, isMine }: RowProps) => (
  <li>
    {isMine ? (
      <Rename one={role} action={`${path}/${role.id}`} />
    ) : (
      <div class="grow">{role.name}</div>
    )}
    <span class="muted">{counted(members, 'member')}</span>
    {isMine && (
      <Removes of={role.id} name={role.name} action={`${path}/${role.id}/remove`}>
        Nobody can get this role any more. A role that members have cannot be removed.
      </Removes>
    )}
  </li>
);

/** Stores the roles that were changed on the page. */
const savePermissions = async ({ actor, query }: Visit, fields: Fields) => {
  const wishes = new Map([...changesIn(fields)].map(([id, { wished }]) => [id, wished]));
  await setPermissions(actor, wishes);
  const names = (await listRoles(actor)).filter(({ id }) => wishes.has(id)).map(({ name }) => name);
  const shown = new URLSearchParams({ saved: '', role: fields.text('role') ?? '' });
  return saying(
    addressWith(path, shown, { page: query.get('page') }),
    names.length > 0
      ? `Permissions changed: ${namesInWords(names)}.`
      : 'No permission was changed.',
  );
};

const may = 'members:write';

const rolesPage = page(path, may, showRoles);

export const rolePages: Page[] = [
  rolesPage,
  form(path, may, savePermissions, rolesPage, {
    proof: 'change what roles may do',
    guard: rolesGuard,
    said: 'Permissions changed.',
  }),
  form(
    `${path}/new`,
    may,
    async ({ actor }, fields) => {
      const name = fields.text('name') ?? '';
      await createRole(actor, { name, permissions: [] });
      return saying(path, `Role added: ${name}.`);
    },
    rolesPage,
    { proof: 'add a role' },
  ),
  form(
    `${path}/:id`,
    may,
    async ({ actor, parameters }: Visit<'/:id'>, fields) => {
      const name = fields.text('name') ?? '';
      await updateRole(actor, parameters.id, { name });
      return saying(path, `Role renamed: ${name}.`);
    },
    rolesPage,
    { proof: 'rename a role' },
  ),
  form(
    `${path}/:id/remove`,
    may,
    async ({ actor, parameters }: Visit<'/:id'>, fields) => {
      await removeRole(actor, parameters.id);
      return saying(path, removedWords('Role')(fields));
    },
    rolesPage,
    { proof: 'remove a role' },
  ),
];
