/** @jsxImportSource preact */
import { listRoles } from '../../firm/role.ts';
import type { member } from '../../firm/table.ts';
import { linkPostOf, type MailedLink } from '../../mail/link.ts';
import { originOf } from '../cookies.ts';
import type { Option } from '../form.tsx';
import { optionsOf } from '../list.tsx';
import { Moment, momentWords } from '../moments.tsx';
import type { Visit } from '../visit.ts';
import { covers } from './role-matrix.tsx';
import { showOnce } from './secret.tsx';

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
        Mail to this address was refused: <code>{mailRefusedWords}</code> Refused since{' '}
        <Moment at={mailRefusedAt.toISOString()} />.
      </p>
    </div>
  );

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
