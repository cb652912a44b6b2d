import { existsSync } from 'node:fs';
import { sql } from 'drizzle-orm';
import { headsFileOf } from '../audit/kept-heads.ts';
import { fileSentenceOf } from '../base/file-error.ts';
import {
  fingerprintOf,
  type InstallationKey,
  readInstallationKey,
} from '../base/installation-key.ts';
import { Refusal } from '../base/refusal.ts';
import { countForeignAccounts } from '../mail/sealed.ts';
import type { Runs } from '../postgres/pool.ts';
import { type Given, statement } from '../postgres/statement.ts';
import { countUnsealed } from '../sign-in/sealed.ts';
import { countUnsealedWebhooks } from '../webhooks/sealed.ts';
import type { Finding } from './finding.ts';
import { missing, newestSignature, setKey } from './signing.ts';

/** What is wrong with the key that signs the audit log and the backups, and with what it signed. */
export const examineKey = async (database: Runs, file: string | undefined): Promise<Finding[]> => {
  if (file === undefined) {
    const what = 'The audit log and the backups are not signed: this installation has no key.';
    return [{ level: 'warning', what, do: setKey }, ...(await examineSealing(database, undefined))];
  }
  const newest = await database.first(newestSignature);
  try {
    const key = readInstallationKey(file);
    if (key) {
      const use = await examineUse(database, key.publicKey, file);
      return [...use, ...(await examineSealing(database, key))];
    }
  } catch (error) {
    const what = error instanceof Refusal ? error.message : fileSentenceOf(error);
    if (!what) throw error;
    return [{ level: 'problem', what, do: 'Until then nothing is signed.' }];
  }
  if (!newest) return [];
  const todo = 'Until then the audit log and the backups are not signed.';
  return [{ level: 'problem', what: missing(file, newest.publicKey), do: todo }];
};

/** Whether the secrets of second factors, webhooks and mail servers are sealed, and can be read. */
const examineSealing = async (
  database: Runs,
  key: InstallationKey | undefined,
): Promise<Finding[]> => {
  const [factors, webhooks, foreignMails] = await Promise.all([
    countUnsealed(database, key),
    countUnsealedWebhooks(database, key),
    countForeignAccounts(database, key),
  ]);
  return [
    ...openSecrets(factors.open, 'second factor', key),
    ...openSecrets(webhooks.open, 'webhook', key),
    ...foreignSecrets(factors.foreign, 'second factor', {
      so: 'no code of it is accepted',
      ifLost:
        'its member signs in with a recovery code, or is let in by `matterhorn member reset --second-factor`',
    }),
    ...foreignSecrets(webhooks.foreign, 'webhook', {
      so: 'nothing is sent to it',
      ifLost:
        'its member gives it a new one under Settings, Webhooks ("Rotate secret"), copies it to the receiver, and resumes it. Nothing is lost',
    }),
    ...foreignSecrets(foreignMails, 'mail server', {
      so: 'no mail of that firm goes out',
      ifLost: 'an owner enters the password or token again under Settings, Mail',
    }),
  ];
};

const openSecrets = (count: number, of: string, key: InstallationKey | undefined): Finding[] =>
  count === 0
    ? []
    : [
        {
          level: 'warning',
          what: `${secretsOf(count, of)} stored as it is in the database and in backups: not sealed with a key.`,
          do: key ? 'Start the server with this key: it seals them.' : setKey,
        },
      ];

/** What follows from a secret that cannot be read, and what helps if its key is lost. */
type Loss = { so: string; ifLost: string };

const foreignSecrets = (count: number, of: string, { so, ifLost }: Loss): Finding[] =>
  count === 0
    ? []
    : [
        {
          level: 'problem',
          what: `${secretsOf(count, of)} sealed with a key that is not here: ${so}.`,
          do: `Seal it anew with \`matterhorn audit key --old FILE\`. If that key is lost, ${ifLost}.`,
        },
      ];

const secretsOf = (count: number, of: string) =>
  count === 1 ? `The secret of 1 ${of} is` : `Each secret of ${count} ${of}s is`;

const examineUse = async (database: Runs, publicKey: string, file: string): Promise<Finding[]> => {
  const findings: Finding[] = [];
  const use = await database.first(keysInUse, { publicKey });
  if (use?.other) {
    findings.push({
      level: 'problem',
      what: `Another key, ${fingerprintOf(use.other)}, signs the audit log of this database too; this one is ${fingerprintOf(publicKey)}.`,
      do: 'Give every instance on this database the same file of a key, and start them again.',
    });
  }
  if (use?.isUsed && !existsSync(headsFileOf(file))) {
    findings.push({
      level: 'problem',
      what: `The file ${headsFileOf(file)}, with the heads that this installation has signed, is missing.`,
      do: 'Run `matterhorn audit verify --against` with a backup; the server makes the file again when it seals.',
    });
  }
  return findings;
};

// Signatures of another key from before this key's first came with a restore, or are of a replaced
// key.
const keysInUse = statement(
  ({ publicKey }: Given<'publicKey'>) => sql<{ isUsed: boolean; other: string | null }>`
    with own as (select min(signed_at) as began from audit_signature where public_key = ${publicKey})
    select own.began is not null as "isUsed", min(newer.public_key) as other
    from own left join (
      select public_key, max(signed_at) as at from audit_signature
      where public_key <> ${publicKey} group by 1) newer on newer.at > own.began
    group by own.began`,
);

/**
 * Members, roles and keys without an audit entry that says who made them: they bypassed the log.
 */
export const examineOrigins = async (database: Runs, firmId: string | null): Promise<Finding[]> =>
  (await database.run(withoutOrigin, { firmId })).map(({ firm, kind, name, id }) => ({
    level: 'problem',
    what: `No entry of the audit log says who made the ${kind} ${JSON.stringify(name)} (${id}) at ${JSON.stringify(firm)}.`,
    do: `Somebody wrote it into the database, or removed the entry. ${whatToDo[kind]}`,
  }));

const whatToDo: Record<string, string> = {
  key: 'Revoke it with `matterhorn key revoke` unless you know who made it, and find out who can write to the database.',
  member:
    'Deactivate it with `matterhorn member deactivate` unless you know who made it, and find out who can write to the database.',
  role: 'See who has it with `matterhorn member list`, and find out who can write to the database.',
};

const without = (kind: string, table: string, name: string) =>
  sql.raw(`select firm.name as firm, firm.id as "firmId", '${kind}' as kind, one.${name} as name, one.id::text as id
    from ${table} one join firm on firm.id = one.firm_id
    where not exists (select from audit_entry entry where entry.firm_id = one.firm_id
      and entry.record_id = one.id and entry.record_kind = '${table}' and entry.action = 'create')`);

const withoutOrigin = statement(
  ({ firmId }: Given<{ firmId: string | null }>) => sql<{
    firm: string;
    kind: string;
    name: string;
    id: string;
  }>`
    select firm, kind, name, id from (
    (${without('key', 'api_key', 'name')}) union all (${without('member', 'member', 'email')})
    union all (${without('role', 'role', 'name')})
    ) made where (${firmId}::uuid is null or "firmId" = ${firmId}::uuid)
    order by 1, 2, 3, 4 limit 100`,
);
