/** @jsxImportSource preact */
import { listMembers } from '../../firm/member.ts';
import { areLinksMailed, inviteMember } from '../../mail/link.ts';
import { lastSeen } from '../../sign-in/session.ts';
import { Dialog, Opens } from '../dialog.tsx';
import { type Fields, mustHave } from '../fields.ts';
import { Choice, Form, type Option, Text } from '../form.tsx';
import { Icon } from '../icon.tsx';
import { Moment } from '../moments.tsx';
import { Table } from '../table.tsx';
import { form, type Page, page, type Shown, type Visit } from '../visit.ts';
import { Or } from '../words.tsx';
import { pagesOfMember } from './member-page.tsx';
import { linkPostIn, MemberState, path, rolesToGive, showLink } from './member-parts.tsx';
import { settingsPage } from './sections.tsx';

const may = 'members:write';

type Member = Awaited<ReturnType<typeof listMembers>>[number];

const showMembers = async (visit: Visit): Promise<Shown> => {
  const { actor } = visit;
  const [members, roles, seen, isMailed] = await Promise.all([
    listMembers(actor),
    rolesToGive(visit),
    lastSeen(actor),
    areLinksMailed(actor, linkPostIn(visit)),
  ]);
  return settingsPage({
    title: 'Members',
    intro: 'Who belongs to the firm, and in which role.',
    action: (
      <Opens dialog="invite" class="button primary">
        <Icon name="user-plus" />
        Invite
      </Opens>
    ),
    follows: ['member'],
    main: (
      <>
        <Invite roles={roles} isMailed={isMailed} />
        <Members members={members} seen={seen} />
      </>
    ),
  });
};

const Invite = ({ roles, isMailed }: { roles: Option[]; isMailed: boolean }) => (
  <Dialog id="invite" title="Invite a member">
    <Form action={path} save="Invite" whole>
      <Text name="name" label="Name" required first />
      <Text name="email" label="Email" type="email" required />
      <Choice name="roleId" label="Role" none="Choose a role" options={roles} required />
      <p class="muted">
        {isMailed
          ? 'A link goes to this address by mail. You can also copy it.'
          : 'No mail is sent. You get a link, and send it to the member.'}{' '}
        It works once, for 7 days.
      </p>
    </Form>
  </Dialog>
);

const Members = ({ members, seen }: { members: Member[]; seen: Map<string, Date> }) => (
  <Table
    caption="Members"
    rows={members}
    columns={[
      {
        name: 'Name',
        isHead: true,
        class: 'line-1',
        cell: ({ id, name, email, mailRefusedAt }) => (
          <>
            <a class="name" href={`${path}/${id}`}>
              {name}
            </a>
            <div class="small muted">{email}</div>
            {mailRefusedAt && <span class="tag danger">Cannot be reached by mail</span>}
          </>
        ),
      },
      { name: 'Role', class: 'line-2', cell: ({ role }) => role },
      { name: 'State', class: 'line-1', cell: (one) => <MemberState member={one} /> },
      {
        name: 'Last seen',
        class: 'nowrap line-2',
        cell: ({ id }) => {
          const at = seen.get(id);
          return (
            <>
              <span class="only-narrow">Last seen: </span>
              <Or value={at && <Moment at={at.toISOString()} />} none="Never" />
            </>
          );
        },
      },
    ]}
  />
);

const invite = async (visit: Visit, fields: Fields): Promise<Shown> => {
  mustHave(fields, 'name', 'email', 'roleId');
  const input = {
    name: fields.text('name') ?? '',
    email: fields.text('email') ?? '',
    roleId: fields.text('roleId') ?? '',
  };
  const { member, link } = await inviteMember(visit.actor, input, linkPostIn(visit));
  return showLink(visit, link, { of: member.name, back: path });
};

const membersPage = page(path, may, showMembers);

export const memberPages: Page[] = [
  membersPage,
  form(path, may, invite, membersPage, { proof: 'invite a member' }),
  ...pagesOfMember,
];
