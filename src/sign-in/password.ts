import { sql } from 'drizzle-orm';
import { invalidField } from '../base/refusal.ts';
import { openTurns } from '../base/turns.ts';
import { member } from '../firm/table.ts';
import { acrossFirms } from '../postgres/citus/forms.ts';
import type { Database } from '../postgres/pool.ts';
import { type Given, query, statement } from '../postgres/statement.ts';
import type { Write } from '../record/write.ts';
import { endLinks } from './link.ts';
import { password } from './table.ts';

// OWASP's recommendation: 19 MiB and two passes.
const cost = { algorithm: 'argon2id', memoryCost: 19_456, timeCost: 2 } as const;

export const passwordLength = { least: 12, max: 256 };

// A hash takes much memory and time. Only two run at once, so that guessing leaves enough for
// others, and one for each address or member, so that one who sends many waits behind the others.
const { inTurn } = openTurns({
  atOnce: 2,
  ofOne: 1,
  inLine: 30,
  patienceMilliseconds: 5_000,
  inAll: 300,
});

/** The hash of a new password, to be stored. Throws `Refusal` for what cannot be one (`judgePassword`). */
export const hashPassword = async (newPassword: string, email: string): Promise<string> => {
  const text = judgePassword(newPassword, email);
  return inTurn(email, () => Bun.password.hash(text, cost));
};

/** A new password as it is hashed. Throws `Refusal` for one that is too short, too long or easily guessed. */
export const judgePassword = (newPassword: string, email: string): string => {
  const text = newPassword.normalize('NFC');
  const length = [...text].length;
  if (length < passwordLength.least || length > passwordLength.max) {
    throw invalidField(
      'password',
      `must have ${passwordLength.least} to ${passwordLength.max} characters`,
    );
  }
  if (isEasilyGuessed(text, email)) {
    throw invalidField('password', 'must not be one that is easily guessed');
  }
  return text;
};

// The passwords of twelve characters and more that are most frequent in lists of stolen ones.
const common = [
  ...['password1234', 'passwordpassword', 'password12345', 'password123456', 'administrator'],
  ...['qwertyuiop12', 'qwertyuiop123', 'qwertyuiopasdfghjkl', 'qwertyuiop[]', '1qaz2wsx3edc'],
  ...['123456789012', '1234567890123', '12345678901234567890', '123456789abc', '1234567890qwerty'],
  ...[
    'abcdefghijkl',
    'abcdefghijklmnopqrstuvwxyz',
    'iloveyou1234',
    'letmeinletmein',
    'changeme1234',
  ],
  ...['welcome12345', 'correcthorsebatterystaple', 'unknown12345', 'trustno1trustno1'],
];

const isEasilyGuessed = (text: string, email: string) => {
  const plain = text.toLowerCase().replace(/[\s._-]+/g, '');
  const [name = '', domain = ''] = email.split('@').map((part) => part.replace(/[._-]+/g, ''));
  const isOwnAddress = [name, `${name}${name}`, `${name}@${domain}`].includes(plain);
  return new Set(plain).size < 5 || isOwnAddress || common.includes(plain);
};

/**
 * Gives a member a password inside a write, and ends their unused links. The audit log says only
 * that it was set.
 */
export const keepPassword = async (w: Write, memberId: string, hash: string, setAt: Date) => {
  void w.run(storePassword, { firmId: w.firmId, memberId, hash, setAt });
  w.record('update', member, memberId, { password: { before: null, after: 'set' } });
  await endLinks(w, memberId, setAt);
};

const storePassword = statement(
  ({
    firmId,
    memberId,
    hash,
    setAt,
  }: Given<{ firmId: string; memberId: string; hash: string; setAt: Date }>) =>
    query
      .insert(password)
      .values({ firmId, memberId, hash, setAt })
      .onConflictDoUpdate({
        target: [password.firmId, password.memberId],
        set: { hash: sql`excluded.hash`, setAt: sql`excluded.set_at` },
      }),
);

// The hash of a password that nobody has, so that an unknown address takes as long as a known one.
const nobodys =
  '$argon2id$v=19$m=19456,t=2,p=1$CAgY3Eh/wKyvilWcgQOL2pPbiGU+2r6TV7R4W/9nBo4$IQRD/JhUPUK0oSPliU2TPzNxJQ1sCTOuFAtPQIyGb0I';

export type Membership = { firmId: string; firmName: string; memberId: string };

/**
 * The active members with this address who have a password, `only` first, and those among them who
 * have this password. Several firms can have members with the same address. `from` is the network
 * address that asks: each has its turn.
 */
export const membersWithPassword = async (
  database: Database,
  email: string,
  typed: string,
  { only = '', from }: { only?: string | undefined; from: string },
): Promise<{ fitting: Membership[]; holders: Membership[] }> => {
  const address = email.trim().toLowerCase().replaceAll('\0', '');
  const found = await database.run(holdersOf, { email: address.slice(0, 255), only });
  if (found.length === 0) await fits(typed, nobodys, from);
  const holders: Membership[] = [];
  const fitting: Membership[] = [];
  for (const { hash, ...holder } of found) {
    holders.push(holder);
    if (await fits(typed, hash, from)) fitting.push(holder);
  }
  return { fitting, holders };
};

/** Whether this is the password of a member who is signed in. */
export const isPasswordOf = async (
  database: Database,
  { firmId, memberId }: { firmId: string; memberId: string },
  typed: string,
): Promise<boolean> => {
  const found = await database.first(hashOf, { firmId, memberId });
  return (await fits(typed, found?.hash ?? nobodys, memberId)) && found !== undefined;
};

export const hasPassword = async (database: Database, firmId: string, memberId: string) =>
  (await database.first(hashOf, { firmId, memberId })) !== undefined;

const fits = (typed: string, hash: string, from: string) => {
  const text = typed.normalize('NFC');
  return inTurn(from, () =>
    Bun.password.verify([...text].length > passwordLength.max ? '' : text, hash),
  );
};

const holdersOf = statement(
  ({ email, only }: Given<'email' | 'only'>) => sql<Membership & { hash: string }>`
    select member.firm_id::text as "firmId", firm.name as "firmName",
      member.id::text as "memberId", password.hash
    from member
    join firm on firm.id = member.firm_id
    join password on password.firm_id = member.firm_id and password.member_id = member.id
    where member.email = ${email} and member.deactivated_at is null${acrossFirms(sql`member.firm_id`, 'answer')}
    order by member.id::text = ${only} desc, member.created_at, member.id limit 5`,
);

const hashOf = statement(
  ({ firmId, memberId }: Given<'firmId' | 'memberId'>) => sql<{ hash: string }>`
    select hash from password where firm_id = ${firmId}::uuid and member_id = ${memberId}::uuid`,
);
