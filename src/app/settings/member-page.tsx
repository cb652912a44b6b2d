/** @jsxImportSource preact */
import { listMembers, memberWithId, ownersAmong } from '../../firm/member.ts';
import { listRoles } from '../../firm/role.ts';
import {
  activateMember,
  deactivateMember,
  type Held,
  type OpenWork,
  openWorkOf,
} from '../../hand-over/hand-over.ts';
import { endWaysIn, type WayIn, waysInOf } from '../../hand-over/ways-in.ts';
import { areLinksMailed, createMailedLink } from '../../mail/link.ts';
import { needsCode, resetSecondFactor } from '../../sign-in/code.ts';
import { whyForOwners } from '../../sign-in/maker.ts';
import { updateMember } from '../../sign-in/member-change.ts';
import { hasPassword } from '../../sign-in/password.ts';
import type { Fields } from '../fields.ts';
import { Act, Choice, Form, type Option, Text } from '../form.tsx';
import { counted } from '../numbers.ts';
import { Panel } from '../page-parts.tsx';
import { namesInWords } from '../said.ts';
import { Value, Values } from '../values.tsx';
import { form, type Page, page, type Shown, type Visit } from '../visit.ts';
import { AbsencePanel, absenceOfMember, othersThan } from './absence.tsx';
import {
  Links,
  linkPostIn,
  MailRefused,
  MemberState,
  path,
  rolesToGive,
  showLink,
} from './member-parts.tsx';
import { covers } from './role-matrix.tsx';
import { settingsPage } from './sections.tsx';
import { useWords, WaysIn } from './ways-in.tsx';

const showMember = async (visit: Visit<'/:id'>): Promise<Shown> => {
  const { actor, database, parameters, session } = visit;
  const { id } = parameters;
  const stored = await memberWithId(actor, id);
  const [members, roles, given, work, hasOne, whyOwners, ways, hasCode, isMailed] =
    await Promise.all([
      listMembers(actor),
      listRoles(actor),
      rolesToGive(visit),
      openWorkOf(actor, id),
      hasPassword(database, actor.firmId, id),
      whyForOwners(actor, id),
      waysInOf(actor, id),
      needsCode(actor, id),
      areLinksMailed(actor, linkPostIn(visit)),
    ]);
  const asked =
    whyOwners && !session.isOwner ? { why: whyOwners, owners: ownersAmong(members) } : undefined;
  const role = roles.find((one) => one.id === stored.roleId);
  const mayChange = role !== undefined && covers(visit, role);
  const action = mayChange ? `${path}/${id}` : undefined;
  const successors = othersThan(id, members, session);
  const isSelf = id === session.member.id;
  return settingsPage({
    title: stored.name,
    within: { path, name: 'Members' },
    main: (
      <>
        {!mayChange && (
          <p class="banner">
            {stored.name} has more permissions than you, so only an owner can change these settings.
          </p>
        )}
        <Panel id="profile" title="Profile" action={<MemberState member={stored} />}>
          <div class="body stack">
            <MailRefused {...stored} />
            <Values>
              <Value label="Name" shown={stored.name} action={action} names={['name']}>
                <Text name="name" label="Name" value={stored.name} required />
              </Value>
              <Value label="Email" shown={stored.email} action={action} names={['email']}>
                <Text name="email" label="Email" type="email" value={stored.email} required />
              </Value>
              <Value label="Role" shown={role?.name} action={action} names={['roleId']}>
                <Choice name="roleId" label="Role" value={stored.roleId} options={given} />
              </Value>
            </Values>
          </div>
        </Panel>
        {mayChange && !stored.deactivatedAt && (
          <Links
            id={id}
            isSelf={isSelf}
            isReset={hasOne}
            isMailed={isMailed}
            asked={asked}
            canResetCode={hasCode && session.isOwner}
          />
        )}
        {session.isOwner && !stored.deactivatedAt && (
          <AbsencePanel action={`${path}/${id}/absence`} absence={stored} others={successors} />
        )}
        {mayChange && !stored.deactivatedAt && ways.length > 0 && (
          <Panel id="ways" title="Keys, passkeys and calendar feed">
            <div class="body stack">
              <p>
                A new password does not end the keys, passkeys and calendar feed here. End any that
                nobody needs or recognises.
              </p>
              <WaysIn ways={ways} action={`${path}/${id}/ways`} />
            </div>
          </Panel>
        )}
        {mayChange && !stored.deactivatedAt && !isSelf && (
          <Leaving id={id} name={stored.name} work={work} successors={successors} ways={ways} />
        )}
        {mayChange && stored.deactivatedAt && <Return id={id} name={stored.name} />}
      </>
    ),
  });
};

type LeavingProps = {
  id: string;
  name: string;
  work: OpenWork;
  successors: Option[];
  ways: WayIn[];
};

const Leaving = ({ id, name, work, successors, ways }: LeavingProps) => {
  const ending = ways.filter(({ kind }) => kind !== 'passkey');
  const { matters, leads, hiddenLeads } = work;
  const parts = partsIn(work);
  const isFree = matters.length + leads.length + hiddenLeads === 0;
  return (
    <Panel id="deactivate" title="Deactivate">
      <div class="body stack">
        <p>
          {name} is signed out at once. Their keys and their calendar feed end, and do not come back
          if you activate {name} again. Their work stays.
        </p>
        {ending.length > 0 && (
          <>
            <h3>These keys and links end. A website’s form may use one of the keys:</h3>
            <ul class="lines-of">
              {ending.map((way) => (
                <li>
                  {way.name} <span class="muted">{useWords(way)}</span>
                </li>
              ))}
            </ul>
          </>
        )}
        <Form action={`${path}/${id}/deactivate`} within="leave">
          {isFree ? (
            <p class="muted">They have no open matters or leads.</p>
          ) : (
            <>
              <Work title="Open matters" path="/matters" held={matters} />
              <Work title="Open leads" path="/leads" held={leads} />
              {parts && <p>{parts}</p>}
              {hiddenLeads > 0 && (
                <p>
                  Some of their leads are private and you cannot see them. An owner has to hand them
                  over.
                </p>
              )}
              <Choice
                name="heirId"
                label="Hand over to"
                hint="This member takes over all matters and leads."
                none="Choose a member"
                options={successors}
              />
            </>
          )}
          <div class="row end">
            <button class="button danger">Deactivate</button>
          </div>
        </Form>
      </div>
    </Panel>
  );
};

/** `2 open tasks and 1 event to come in these matters and leads.`; empty if there are none. */
const partsIn = ({ matters, leads, tasks, events }: OpenWork): string => {
  const parts = namesInWords([
    ...(tasks > 0 ? [counted(tasks, 'open task')] : []),
    ...(events > 0 ? [`${counted(events, 'event')} to come`] : []),
  ]);
  const held = namesInWords([
    ...(matters.length > 0 ? ['matters'] : []),
    ...(leads.length > 0 ? ['leads'] : []),
  ]);
  return parts && `${parts} in these ${held}.`;
};

const maxShown = 20;

const Work = ({ title, path, held }: { title: string; path: string; held: Held[] }) =>
  held.length === 0 ? null : (
    <div>
      <h3>
        {title}: {held.length}
      </h3>
      <ul class="lines-of">
        {held.slice(0, maxShown).map(({ id, number, title }) => (
          <li>
            <a href={`${path}/${id}`}>{number}</a> {title}
          </li>
        ))}
        {held.length > maxShown && <li class="muted">and {held.length - maxShown} more</li>}
      </ul>
    </div>
  );

const Return = ({ id, name }: { id: string; name: string }) => (
  <Panel id="activate" title="Deactivated">
    <div class="body stack">
      <p>
        {name} cannot sign in, and their keys and calendar feed have ended. If you activate them
        again, they sign in as before and can create new ones.
      </p>
      <Act action={`${path}/${id}/activate`}>Activate</Act>
    </div>
  </Panel>
);

const change = async ({ actor, parameters }: Visit<'/:id'>, fields: Fields) => {
  const texts = ['name', 'email', 'roleId'] as const;
  const sent = texts.filter((name) => fields.has(name));
  await updateMember(
    actor,
    parameters.id,
    Object.fromEntries(sent.map((name) => [name, fields.text(name) ?? ''])),
  );
  return `${path}/${parameters.id}`;
};

const makeLink = async (visit: Visit<'/:id'>): Promise<Shown> => {
  const { actor, parameters, database } = visit;
  const { id, name } = await memberWithId(actor, parameters.id);
  const hasOne = await hasPassword(database, actor.firmId, id);
  const link = await createMailedLink(actor, id, hasOne ? 'RESET' : 'INVITE', linkPostIn(visit));
  return showLink(visit, link, { of: name, back: `${path}/${id}` });
};

const deactivate = async ({ actor, parameters }: Visit<'/:id'>, fields: Fields) => {
  await deactivateMember(actor, parameters.id, { heirId: fields.text('heirId') || null });
  return `${path}/${parameters.id}`;
};

const endWays = async ({ actor, parameters }: Visit<'/:id'>, fields: Fields) => {
  await endWaysIn(actor, parameters.id, fields.all('end'));
  return `${path}/${parameters.id}?saved=ways#ways`;
};

const removeCode = async ({ actor, parameters }: Visit<'/:id'>) => {
  await resetSecondFactor(actor, parameters.id);
  return `${path}/${parameters.id}?saved=link#link`;
};

const activate = async ({ actor, parameters }: Visit<'/:id'>) => {
  await activateMember(actor, parameters.id);
  return `${path}/${parameters.id}`;
};

const may = 'members:write';

const memberPage = page(`${path}/:id`, may, showMember);

export const pagesOfMember: Page[] = [
  memberPage,
  form(`${path}/:id`, may, change, memberPage, {
    proof: 'change a member',
    said: 'Changed: {title}.',
  }),
  form(`${path}/:id/link`, may, makeLink, memberPage, {
    proof: 'create a link with which a member signs in',
  }),
  form(`${path}/:id/second-factor`, 'owner', removeCode, memberPage, {
    proof: 'remove the authenticator app of a member',
    said: '{title} signs in without an authenticator app now.',
  }),
  form(`${path}/:id/ways`, may, endWays, memberPage, {
    proof: 'end ways in which a member signs in',
    said: 'Ways to sign in ended for {title}.',
  }),
  form(`${path}/:id/deactivate`, may, deactivate, memberPage, {
    proof: 'deactivate a member',
    said: 'Deactivated: {title}.',
  }),
  absenceOfMember(memberPage),
  form(`${path}/:id/activate`, may, activate, memberPage, {
    proof: 'activate a member',
    said: 'Active again: {title}.',
  }),
];
