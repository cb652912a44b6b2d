/** The mail server of a firm: its own, or else the installation's from the environment. */
import { eq, sql } from 'drizzle-orm';
import { changesBetween } from '../audit/entry.ts';
import {
  isMailHost,
  isSenderAddress,
  type MailAccount,
  type MailSignIn,
} from '../base/mail-settings.ts';
import { invalidField, Refusal } from '../base/refusal.ts';
import { plainly } from '../base/rule.ts';
import type { Seals } from '../base/seal.ts';
import { firm } from '../firm/table.ts';
import type { Runs } from '../postgres/pool.ts';
import { type Given, insertOf, query, statement } from '../postgres/statement.ts';
import type { Reader } from '../record/actor.ts';
import { type Acting, type Write, write } from '../record/write.ts';
import { mailAccount } from './table.ts';
import { isTokenUrl } from './token.ts';

/** What a firm's own mail server is sealed to. */
export const rowOfAccount = (firmId: string) => `mail ${firmId}`;

/** What the secret of an account holds, as JSON. */
type Secrets = { password?: string; clientSecret?: string; refreshToken?: string };

/** A firm's own mail server, as its owners see it: without its secrets. */
export type OwnAccount = typeof mailAccount.$inferSelect;

/** The mail server that the firm has set for itself, if it has. */
export const ownAccount = (reader: Pick<Reader, 'first' | 'firmId'>) =>
  reader.first(stored, { firmId: reader.firmId });

const stored = statement(({ firmId }: Given<'firmId'>) =>
  query.select().from(mailAccount).where(eq(mailAccount.firmId, firmId)),
);

/**
 * The mail server that this firm's mails go to; undefined if there is none. `isLost`: it has one, but the
 * key that its secret was sealed with is not here.
 */
export const accountOf = async (
  database: Runs,
  firmId: string,
  installations: MailAccount | undefined,
  seals: Seals,
): Promise<MailAccount | 'lost' | undefined> => {
  const own = await database.first(stored, { firmId });
  if (!own) return installations;
  const { host, port, security, from } = own;
  const opened = own.secret && (await seals.open(own.secret, rowOfAccount(firmId)));
  if (opened === undefined) return 'lost';
  const secrets = JSON.parse(opened || '{}') as Secrets;
  return { host, port, security, from, signIn: signInOf(own, secrets) };
};

const signInOf = (own: OwnAccount, secrets: Secrets): MailSignIn => {
  const user = own.userName ?? '';
  if (own.signsInBy === 'password') {
    return { by: 'password', user, password: secrets.password ?? '' };
  }
  if (own.signsInBy === 'nothing') return { by: 'nothing' };
  const { clientSecret = '', refreshToken = '' } = secrets;
  const { tokenUrl, clientId, scope } = own;
  const tokens = {
    tokenUrl: tokenUrl ?? '',
    clientId: clientId ?? '',
    scope: scope ?? '',
    clientSecret,
    refreshToken,
  };
  return { by: 'token', user, tokens };
};

/** A mail server as its owner gives it. An empty secret keeps the present one. */
export type NewAccount = {
  host: string;
  port: string;
  security: string;
  from: string;
  signsInBy: string;
  userName: string;
  password: string;
  tokenUrl: string;
  clientId: string;
  scope: string;
  clientSecret: string;
  refreshToken: string;
};

/**
 * Sets the firm's own mail server; from then on notices also go out by mail. Throws `Refusal`
 * invalid_request, and conflict where the installation has no key to seal the secret with.
 */
export const setAccount = (actor: Acting, input: NewAccount, seals: Seals, hasKey: boolean) =>
  write(actor, async (w) => {
    const before = await ownAccount(w);
    const row = checkedAccount(input);
    const secret = await sealedSecret(w, input, row, before, seals, hasKey);
    const after = { ...row, firmId: w.firmId, secret, updatedAt: await w.now() };
    if (before) void w.run(remove, { firmId: w.firmId });
    void w.run(insertOf(mailAccount, Object.keys(after)), after);
    void w.run(beginMails, { firmId: w.firmId });
    const { updatedAt: _, ...told } = after;
    const isNewSecret = secret !== (before?.secret ?? null);
    w.record(before ? 'update' : 'create', mailAccount, w.firmId, {
      ...changesBetween(before ?? {}, told),
      ...(isNewSecret && { signInSecret: { before: null, after: secret ? 'set' : 'removed' } }),
    });
  });

type Row = Omit<OwnAccount, 'firmId' | 'secret' | 'updatedAt'>;

const checkedAccount = (input: NewAccount): Row => {
  const [host, from] = [input.host.trim(), input.from.trim()];
  const port = /^\d{1,5}$/.test(input.port.trim()) ? Number(input.port) : 0;
  if (!isMailHost(host)) {
    throw invalidField(
      'host',
      'must be the name of a mail server, for example smtp.harrow.example',
    );
  }
  if (port < 1 || port > 65_535) throw invalidField('port', 'must be a number from 1 to 65535');
  if (!isSenderAddress(from)) {
    throw invalidField('from', 'must be an email address, for example office@harrow.example');
  }
  const security = input.security === 'tls' ? 'tls' : 'starttls';
  const nobody = { userName: null, tokenUrl: null, clientId: null, scope: null };
  const row = { host, port, security, from, ...nobody } as const;
  if (input.signsInBy === 'nothing') return { ...row, signsInBy: 'nothing' };
  const userName = required('userName', input.userName);
  if (input.signsInBy === 'password') return { ...row, signsInBy: 'password', userName };
  if (input.signsInBy !== 'token')
    throw invalidField('signsInBy', plainly('Choose how it signs in', 'must be one of the three'));
  const tokenUrl = input.tokenUrl.trim();
  if (!isTokenUrl(tokenUrl)) {
    throw invalidField('tokenUrl', 'must be an address that begins with https://');
  }
  const clientId = required('clientId', input.clientId);
  const scope = input.scope.trim() ? required('scope', input.scope) : null;
  return { ...row, signsInBy: 'token', userName, tokenUrl, clientId, scope };
};

const longest = 2000;

const required = (field: string, text: string) => {
  const trimmed = text.trim();
  if (trimmed && trimmed.length <= longest && !/\p{C}/u.test(trimmed)) return trimmed;
  throw invalidField(field, `must have 1 to ${longest} characters, on one line`);
};

/** The secret to store. One that is kept is never sent to another server than before. */
const sealedSecret = async (
  w: Write,
  { password, clientSecret, refreshToken }: NewAccount,
  row: Row,
  before: OwnAccount | undefined,
  seals: Seals,
  hasKey: boolean,
): Promise<string | null> => {
  if (row.signsInBy === 'nothing') return null;
  const isPassword = row.signsInBy === 'password';
  const given: Secrets = isPassword
    ? { ...(password && { password }) }
    : { ...(clientSecret && { clientSecret }), ...(refreshToken && { refreshToken }) };
  if (Object.keys(given).length === 0) {
    const isSame =
      before?.signsInBy === row.signsInBy &&
      before.host === row.host &&
      before.userName === row.userName &&
      before.tokenUrl === row.tokenUrl;
    if (isSame && before.secret) return before.secret;
    throw isPassword
      ? invalidField(
          'password',
          plainly(
            'Enter the password again, because the server or the user name is new',
            'must be given with a new server or user name',
          ),
        )
      : invalidField(
          'clientSecret',
          plainly(
            'Enter the client secret or the refresh token again, because an address or a name is new',
            'or a refresh token must be given with new addresses or names',
          ),
        );
  }
  for (const [name, secret] of Object.entries(given)) required(name, secret);
  if (!hasKey) {
    throw new Refusal(
      'conflict',
      'This installation has no key, so a password would be stored in the clear. Set INSTALLATION_KEY first, or set mail in MAIL_URL.',
    );
  }
  return seals.seal(JSON.stringify(given), rowOfAccount(w.firmId));
};

const beginMails = statement(
  ({ firmId }: Given<'firmId'>) => sql`
    update firm set mails_since = coalesce(mails_since, moment()) where id = ${firmId}::uuid`,
);

/** Removes the firm's own mail server. `isStillSet`: the installation's is used from now on. */
export const removeAccount = (actor: Acting, isStillSet: boolean) =>
  write(actor, async (w) => {
    const before = await ownAccount(w);
    if (!before) return;
    void w.run(remove, { firmId: w.firmId });
    if (!isStillSet) void w.run(endMails, { firmId: w.firmId });
    w.record('delete', mailAccount, w.firmId, {
      host: { before: before.host, after: null },
    });
  });

const remove = statement(({ firmId }: Given<'firmId'>) =>
  query.delete(mailAccount).where(eq(mailAccount.firmId, firmId)),
);

const endMails = statement(
  ({ firmId }: Given<'firmId'>) => sql`
    update firm set mails_since = null where id = ${firmId}::uuid`,
);

/** Whether the firm's mails go out. */
export const isMailing = async (reader: Pick<Reader, 'first' | 'firmId'>): Promise<boolean> =>
  (await reader.first(mailing, { firmId: reader.firmId })) !== undefined;

const mailing = statement(
  ({ firmId }: Given<'firmId'>) => sql<{ id: string }>`
    select id::text as id from firm where id = ${firmId}::uuid and mails_since is not null`,
);

/** Lets the firm's mails name people and matters, or not. */
export const setMailsName = (actor: Acting, mailsName: boolean) =>
  write(actor, async (w) => {
    const before = await w.first(naming, { firmId: w.firmId });
    const changes = changesBetween({ mailsName: before?.mailsName }, { mailsName });
    if (Object.keys(changes).length === 0) return;
    void w.run(setNaming, { firmId: w.firmId, mailsName });
    w.record('update', firm, w.firmId, changes);
  });

const naming = statement(({ firmId }: Given<'firmId'>) =>
  query.select({ mailsName: firm.mailsName }).from(firm).where(eq(firm.id, firmId)),
);

const setNaming = statement(
  ({ firmId, mailsName }: Given<{ firmId: string; mailsName: boolean }>) => sql`
    update firm set mails_name = ${mailsName}::boolean where id = ${firmId}::uuid`,
);

/** Stores the refresh token that replaces the present one of the firm's own mail server. */
export const keepRefreshToken = async (
  database: Runs,
  firmId: string,
  seals: Seals,
  refreshToken: string,
): Promise<void> => {
  const own = await database.first(stored, { firmId });
  const opened = own?.secret && (await seals.open(own.secret, rowOfAccount(firmId)));
  if (!own?.secret || !opened) return;
  const secret = JSON.stringify({ ...(JSON.parse(opened) as Secrets), refreshToken });
  await database.run(swapSecret, {
    firmId,
    secret: await seals.seal(secret, rowOfAccount(firmId)),
    former: own.secret,
  });
};

/** Not if it was changed meanwhile. */
export const swapSecret = statement(
  ({ firmId, secret, former }: Given<'firmId' | 'secret' | 'former'>) => sql`
    update mail_account set secret = ${secret}
    where firm_id = ${firmId}::uuid and secret = ${former}`,
);
