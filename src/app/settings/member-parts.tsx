/** @jsxImportSource preact */
import { listRoles } from '../../firm/role.ts';
import type { member } from '../../firm/table.ts';
import { linkPostOf, type MailedLink } from '../../mail/link.ts';
import { originOf } from '../cookies.ts';
import { Act, Form, type Option } from '../form.tsx';
import { optionsOf } from '../list.tsx';
import { MomentSaid, momentWords } from '../moments.tsx';
import { Panel } from '../page-parts.tsx';
import type { Visit } from '../visit.ts';
import { covers } from './role-matrix.tsx';
import { showOnce } from './secret.tsx';

/** Where the members are. */
export const path = '/settings/members';

/** The roles that the member may give: those with no more permissions than their own. */
export const rolesToGive = async (visit: Visit): Promise<Option[]> =>
  optionsOf((await listRoles(visit.actor)).filter((role) => covers(visit, role)));

export const MemberState = ({
  member: { deactivatedAt },
}: {
  member: { deactivatedAt: Date | null };
}) => (deactivatedAt ? <span class="tag">Deactivated</span> : <span class="tag ok">Active</span>);

type Refused = Pick<typeof member.$inferSelect, 'mailRefusedAt' | 'mailRefusedWords'>;

/** Says that mails to somebody's address are refused, if they are. */
export const MailRefused = ({ mailRefusedAt, mailRefusedWords }: Refused) =>
  mailRefusedAt && (
    <div class="banner warn">
      <p>
        Mail to this address was refused: <code>{mailRefusedWords}</code> First refused{' '}
        <MomentSaid at={mailRefusedAt} />.
      </p>
    </div>
  );

/** Whom to ask for a link that the reader may not make, and why. */
type OwnersToAsk = { why: string; owners: string[] };

type LinksProps = {
  id: string;
  /** It is the page of the visitor. */
  isSelf: boolean;
  isReset: boolean;
  isMailed: boolean;
  asked: OwnersToAsk | undefined;
  canResetCode: boolean;
};

/** How the member signs in: the links that can be made, and the code that can be removed. */
export const Links = ({ id, isSelf, isReset, isMailed, asked, canResetCode }: LinksProps) => (
  <Panel id="link" title="Signing in">
    <div class="body stack">
      {asked ? (
        <p>
          {asked.why} Ask {eitherOf(asked.owners)}.
        </p>
      ) : (
        <>
          <p>
            {isReset
              ? 'A link for a new password. It works once, for an hour, and signs out everywhere else.'
              : `${isSelf ? 'You have no password yet. You choose one' : 'No password yet. The member chooses one'} with an invitation link. The link works once, for 7 days.`}{' '}
            The link ends if the role, email address or password changes.
            {isMailed && ` It goes to ${isSelf ? 'you' : 'them'} by mail, and you can copy it.`}
          </p>
          <Form action={`${path}/${id}/link`} class="row" whole>
            <button class="button">
              {isReset ? 'Create a reset link' : 'Create an invitation link'}
            </button>
          </Form>
        </>
      )}
      {canResetCode && (
        <>
          <p>
            {isSelf
              ? 'You sign in with a code. If you have lost your authenticator and your recovery codes, remove the authenticator. Your password is then enough until you add another.'
              : 'They sign in with a code. If they have lost their authenticator and their recovery codes, remove the authenticator. Their password is then enough until they add another.'}
          </p>
          <Act action={`${path}/${id}/second-factor`} class="button">
            Remove the authenticator
          </Act>
        </>
      )}
    </div>
  </Panel>
);

const eitherOf = (names: string[]) =>
  new Intl.ListFormat('en', { type: 'disjunction' }).format(names);

/** What the links that a visitor makes are mailed with. */
export const linkPostIn = ({ settings, installation }: Visit) =>
  linkPostOf(settings.publicUrl, installation.key);

/** A new link, shown once. */
export const showLink = (
  visit: Visit,
  { token, expiresAt, sentTo }: MailedLink,
  to: { of: string; back: string },
) =>
  showOnce({
    title: `A link for ${to.of}`,
    label: 'The link',
    secret: `${originOf(visit)}/welcome/${token}`,
    back: to.back,
    children: (
      <p>
        {sentTo
          ? `Sent to ${sentTo} by mail. You can also copy the link here.`
          : `Send the link to ${to.of} yourself.`}{' '}
        Anyone with the link can sign in as {to.of}. It is shown only now, and works once, until{' '}
        {momentWords(expiresAt.toISOString(), visit.session, new Date())}.
      </p>
    ),
  });
