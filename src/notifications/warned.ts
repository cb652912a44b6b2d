import { sql } from 'drizzle-orm';
import type { JobKind } from '../jobs/kind.ts';
import { type Given, statement } from '../postgres/statement.ts';
import { type Warning, warningJob } from '../sign-in/warning.ts';
import { deliver, type Told } from './delivered.ts';

/** What each warning says. A notice may be read by who looks over a shoulder: it holds no address. */
const says: Record<Warning, { title: string; text: string }> = {
  authenticator: {
    title: 'Your authenticator was removed',
    text: 'You are no longer asked for a code. If it was not you, change your password, and set up an authenticator again.',
  },
  browser: {
    title: 'You signed in with a new browser',
    text: 'It was not used for your account before. If it was not you, sign it out in your settings, and change your password.',
  },
  code: {
    title: 'A wrong code at sign-in',
    text: 'Somebody entered your password and then a wrong code. If it was not you, they know your password: change it now.',
  },
  passkey: {
    title: 'You have a new passkey',
    text: 'It signs in to your account without a password. If it was not you, remove it in your settings, and change your password.',
  },
  password: {
    title: 'Your password was changed',
    text: 'You were signed out everywhere else. If it was not you, ask an owner of your firm for a link now, and choose a new password.',
  },
  reset: {
    title: 'Your password was reset by a link',
    text: 'You were signed out everywhere else. If it was not you, ask an owner of your firm for a new link now.',
  },
};

/** Warns a member of a change to the way into their account. They cannot switch this off. */
export const warnMember: JobKind = {
  kind: warningJob,
  async work({ firmId, ref, payload }, transaction) {
    const { warning, occasion } = payload as { warning: Warning; occasion: string };
    const cause = `${warning}:${occasion}`;
    deliver(transaction, warn, { firmId, memberId: ref as string, cause, ...says[warning] });
  },
};

type Warned = { firmId: string; memberId: string; cause: string; title: string; text: string };

const warn = statement(
  (given: Given<Warned>) => sql<Told>`
    insert into notification (firm_id, member_id, kind, cause, record_id, title, text, created_at, raised_at)
    select member.firm_id, member.id, 'account.warned', ${given.cause}, null, ${given.title},
      ${given.text}, moment(), moment()
    from member
    where member.firm_id = ${given.firmId}::uuid and member.id = ${given.memberId}::uuid
      and member.deactivated_at is null
    on conflict do nothing returning kind`,
);
