import { sql } from 'drizzle-orm';
import { digestOf } from '../api-keys/secret.ts';
import { describeError, log } from '../base/log.ts';
import { member } from '../firm/table.ts';
import { acrossFirms } from '../postgres/citus/forms.ts';
import type { Database } from '../postgres/pool.ts';
import { type Given, statement } from '../postgres/statement.ts';
import { type Write, write } from '../record/write.ts';
import { readSession, type SignedIn } from './session.ts';
import { isToken, newToken } from './token.ts';
import { warnLater } from './warning.ts';

/** How many browsers of a member are known; and for how long, if they are not used. */
export const knownBrowserLimits = { max: 50, days: 400 };

/**
 * Whether the browser with this cookie signed in before to a member with this address, in any firm.
 */
export const isKnownBrowser = async (
  database: Database,
  cookie: string,
  email: string,
): Promise<boolean> =>
  isToken(cookie) &&
  (await database.first(knownFor, {
    digest: digestOf(cookie),
    email: email.replaceAll('\0', ''),
  })) !== undefined;

/**
 * Remembers the browser that gets this session, and returns its cookie's value: the one that it has,
 * or a new one. The member is warned of a browser that is new to them, unless they have just set
 * their password in it. Undefined for a demonstration.
 */
export const rememberBrowser = async (
  database: Database,
  sessionToken: string,
  cookie: string | undefined,
): Promise<string | undefined> => {
  const session = await readSession(database, sessionToken);
  if (!session || session.isDemonstration) return undefined;
  const brought = cookie && isToken(cookie) ? cookie : '';
  const ids = { firmId: session.firmId, memberId: session.member.id, digest: digestOf(brought) };
  const standing = await database.first(standingOf, { ...ids, sessionId: session.sessionId });
  if (brought && standing?.isKnown) {
    database
      .run(stampUse, ids)
      .catch((error) => log('warn', 'last use of a browser not noted', describeError(error)));
    return brought;
  }
  // Several members may share a browser. But a cookie that we did not make is never taken over.
  const isOurs = brought && (await database.first(knownToAnybody, { digest: ids.digest }));
  const token = isOurs ? brought : newToken().token;
  await addBrowser(session, token, standing?.hasNewPassword === true);
  return token;
};

const addBrowser = (
  { actor, member: { id: memberId }, sessionId }: SignedIn,
  token: string,
  isExpected: boolean,
) =>
  write(actor, async (w) => {
    const ids = { firmId: w.firmId, memberId };
    void w.run(forgetOldest, ids);
    void w.run(store, { ...ids, digest: digestOf(token) });
    w.record('update', member, memberId, { knownBrowser: { before: null, after: 'added' } });
    if (!isExpected) warnLater(w, memberId, 'browser', sessionId);
  });

/** Forgets a member's browsers inside a write that gives them another password. */
export const forgetBrowsers = (w: Write, memberId: string) =>
  void w.run(forgetAll, { firmId: w.firmId, memberId });

type Ids = { firmId: string; memberId: string; digest: Buffer };

// While a node of a spread database is away, a browser that only it knows counts as a new one: members of
// firms on the other nodes sign in.
const knownFor = statement(
  ({ digest, email }: Given<{ digest: Buffer; email: string }>) => sql<{ found: number }>`
    select 1 as found from known_browser known
    join member on member.firm_id = known.firm_id and member.id = known.member_id
    where known.digest = ${digest} and member.email = ${email} and member.deactivated_at is null
      ${acrossFirms(sql`known.firm_id`)} limit 1`,
);

const knownToAnybody = statement(
  ({ digest }: Given<{ digest: Buffer }>) => sql<{ found: number }>`
    select 1 as found from known_browser known
    where known.digest = ${digest}${acrossFirms(sql`known.firm_id`)} limit 1`,
);

// A session that began when the password was set is of the one who set it.
const standingOf = statement(
  (given: Given<Ids & { sessionId: string }>) => sql<{
    isKnown: boolean;
    hasNewPassword: boolean;
  }>`
    select
      exists (select from known_browser known where known.firm_id = ${given.firmId}::uuid
        and known.member_id = ${given.memberId}::uuid and known.digest = ${given.digest}) as "isKnown",
      exists (select from password where password.firm_id = ${given.firmId}::uuid
        and password.member_id = ${given.memberId}::uuid
        and password.set_at = session.created_at) as "hasNewPassword"
    from session
    where session.firm_id = ${given.firmId}::uuid and session.id = ${given.sessionId}::uuid`,
);

const stampUse = statement(
  ({ firmId, memberId, digest }: Given<Ids>) => sql`
    update known_browser set seen_at = moment()
    where firm_id = ${firmId}::uuid and member_id = ${memberId}::uuid and digest = ${digest}`,
);

const store = statement(
  ({ firmId, memberId, digest }: Given<Ids>) => sql`
    insert into known_browser (firm_id, member_id, digest, created_at, seen_at)
    values (${firmId}::uuid, ${memberId}::uuid, ${digest}, moment(), moment())
    on conflict do nothing`,
);

const forgetOldest = statement(
  ({ firmId, memberId }: Given<Omit<Ids, 'digest'>>) => sql`
    delete from known_browser where firm_id = ${firmId}::uuid and member_id = ${memberId}::uuid
      and digest in (
        select digest from known_browser
        where firm_id = ${firmId}::uuid and member_id = ${memberId}::uuid
        order by seen_at desc, digest offset ${sql.raw(String(knownBrowserLimits.max - 1))})`,
);

const forgetAll = statement(
  ({ firmId, memberId }: Given<Omit<Ids, 'digest'>>) => sql`
    delete from known_browser where firm_id = ${firmId}::uuid and member_id = ${memberId}::uuid`,
);
