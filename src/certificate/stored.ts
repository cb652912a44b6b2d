/** The installation's certificate as it is stored: for every instance, and beyond a restart. */
import { sql } from 'drizzle-orm';
import { type Pair, spanOf } from '../base/certificate.ts';
import type { Acme } from '../base/certificate-settings.ts';
import type { Seals } from '../base/seal.ts';
import type { Runs } from '../postgres/pool.ts';
import { type Given, query, statement } from '../postgres/statement.ts';
import type { Refused } from './refused.ts';
import { certificate } from './table.ts';

/** For which names and of which directory: the certificate's key in its table. */
type Which = { directory: string; names: string };

/** The certificate of these settings, in its table. */
export const whichOf = ({ directory, names }: Acme): Which => ({
  directory,
  names: names.join(','),
});

/** What the key of a certificate is sealed to. */
export const rowOf = ({ directory, names }: Which) => `certificate ${directory} ${names}`;
/** What the key of an account at a directory is sealed to. */
export const rowOfAccount = (directory: string) => `certificate account ${directory}`;

/** How taking a certificate stands. */
export type Standing = {
  endsAt: Date | null;
  renewsAt: Date | null;
  nextTryAt: Date;
  refusedAt: Date | null;
  refused: Refused | null;
};

/** How taking this certificate stands; undefined before the first server has begun with it. */
export const readStanding = (database: Runs, acme: Acme): Promise<Standing | undefined> =>
  database.first(standing, whichOf(acme));

const isThis = ({ directory, names }: Given<Which>) =>
  sql`directory = ${directory} and names = ${names}`;

const standing = statement((which: Given<Which>) =>
  query
    .select({
      endsAt: certificate.endsAt,
      renewsAt: certificate.renewsAt,
      nextTryAt: certificate.nextTryAt,
      refusedAt: certificate.refusedAt,
      refused: certificate.refused,
    })
    .from(certificate)
    .where(isThis(which)),
);

/** The certificate; undefined if there is none, or if its key was sealed with another key. */
export const readCertificate = async (
  database: Runs,
  acme: Acme,
  seals: Seals,
): Promise<Pair | undefined> => {
  const stored = await database.first(storedPair, whichOf(acme));
  if (!stored?.certificate || !stored.key) return undefined;
  const key = await seals.open(stored.key, rowOf(whichOf(acme)));
  return key === undefined ? undefined : { certificate: stored.certificate, key };
};

const storedPair = statement(
  (which: Given<Which>) => sql<{ certificate: string | null; key: string | null }>`
    select chain as certificate, key from certificate where ${isThis(which)}`,
);

/** The same before a migration has made the table. */
export const readCertificateIfStored = async (database: Runs, acme: Acme, seals: Seals) =>
  (await database.first(isStored))?.isThere ? readCertificate(database, acme, seals) : undefined;

const isStored = statement(
  () => sql<{ isThere: boolean }>`
    select to_regclass('public.certificate') is not null as "isThere"`,
);

// A try ends sooner. If its process has ended instead, the next one begins after this.
const tryLasts = sql.raw(`interval '150 seconds'`);

/**
 * Begins a try if one is due, or if the certificate `isLost` because no key opens it; returns how
 * many have begun without success, and nothing if it is not this caller's turn. It is counted before
 * it begins: a server that ends in each of its tries does not trouble the directory without pause.
 */
export const beginTry = async (
  database: Runs,
  acme: Acme,
  isLost: boolean,
): Promise<number | undefined> => {
  await database.run(enter, whichOf(acme));
  return (await database.first(begin, { ...whichOf(acme), isLost: String(isLost) }))?.tries;
};

const enter = statement(
  (given: Given<Which>) => sql`
    insert into certificate (directory, names, next_try_at)
    select ${given.directory}, ${given.names}, moment()
    where not exists (select from certificate where ${isThis(given)})
    on conflict do nothing`,
);

const begin = statement(
  (given: Given<Which & { isLost: string }>) => sql<{ tries: number }>`
    update certificate set tries = tries + 1, trying_since = moment(),
      next_try_at = moment() + ${tryLasts}
    where ${isThis(given)} and next_try_at <= moment()
      and (chain is null or renews_at <= moment() or ${given.isLost}::text::boolean)
    returning tries`,
);

/** Stores a new certificate: every instance then shows it. */
export const keepCertified = async (
  database: Runs,
  acme: Acme,
  pair: Pair,
  seals: Seals,
): Promise<void> => {
  const { from, to } = spanOf(pair);
  await database.run(succeed, {
    ...whichOf(acme),
    chain: pair.certificate,
    key: await seals.seal(pair.key, rowOf(whichOf(acme))),
    endsAt: to,
    renewsAt: new Date(to.getTime() - renewsBefore(to.getTime() - from.getTime())),
  });
};

const dayMilliseconds = 86_400_000;

/** How long before its end a certificate is renewed: thirty days, or a third of a short life. */
const renewsBefore = (lifeMilliseconds: number) =>
  lifeMilliseconds > 60 * dayMilliseconds ? 30 * dayMilliseconds : lifeMilliseconds / 3;

const succeed = statement(
  (given: Given<Which & { chain: string; key: string; endsAt: Date; renewsAt: Date }>) => sql`
    update certificate set chain = ${given.chain}, key = ${given.key}, ends_at = ${given.endsAt}::timestamptz,
      renews_at = ${given.renewsAt}::timestamptz, tries = 0, trying_since = null, barred_until = null,
      refused = null, refused_at = null, next_try_at = moment() + interval '1 hour'
    where ${isThis(given)}`,
);

/** Stores why a try has failed, and for how long the next one waits. */
export const keepRefused = async (
  database: Runs,
  acme: Acme,
  refused: Refused,
  pauseSeconds: number,
): Promise<void> => {
  const barred = Math.min(refused.waitSeconds ?? 0, maxBarredSeconds);
  await database.run(fail, {
    ...whichOf(acme),
    refused: JSON.stringify(refused),
    pause: Math.max(pauseSeconds, barred),
    barred,
  });
};

const maxBarredSeconds = 7 * 86_400;

const fail = statement(
  (given: Given<Which & { refused: string; pause: number; barred: number }>) => sql`
    update certificate set trying_since = null, refused = ${given.refused}::text::jsonb,
      refused_at = moment(), next_try_at = moment() + make_interval(secs => ${given.pause}::float8),
      barred_until = moment() + make_interval(secs => ${given.barred}::float8)
    where ${isThis(given)}`,
);

/** Takes back a try that the server's own end has cut short. */
export const takeBackTry = async (database: Runs, acme: Acme): Promise<void> => {
  await database.run(takeBack, whichOf(acme));
};

const takeBack = statement(
  (which: Given<Which>) => sql`
    update certificate set tries = tries - 1, trying_since = null, next_try_at = moment()
    where ${isThis(which)}`,
);

/** Ends the pause after a failed try, unless the directory itself has asked for it. */
export const endPause = async (database: Runs, acme: Acme): Promise<void> => {
  await database.run(hurry, whichOf(acme));
};

const hurry = statement(
  (which: Given<Which>) => sql`
    update certificate set next_try_at = greatest(moment(), barred_until)
    where ${isThis(which)} and refused is not null
      and (trying_since is null or trying_since < moment() - ${tryLasts})`,
);

/** The key of this installation's account at a directory, as PEM text; `make` makes the first one. */
export const accountKey = async (
  database: Runs,
  directory: string,
  seals: Seals,
  make: () => Promise<string>,
): Promise<string> => {
  const stored = await database.first(storedAccount, { directory });
  const key = stored && (await seals.open(stored.key, rowOfAccount(directory)));
  if (key !== undefined) return key;
  const made = await make();
  const sealed = await seals.seal(made, rowOfAccount(directory));
  await database.run(keepAccount, { directory, key: sealed });
  return made;
};

const storedAccount = statement(
  ({ directory }: Given<'directory'>) => sql<{ key: string }>`
    select key from certificate_account where directory = ${directory}`,
);

const keepAccount = statement(
  ({ directory, key }: Given<'directory' | 'key'>) => sql`
    insert into certificate_account (directory, key, made_at) values (${directory}, ${key}, moment())
    on conflict (directory) do update set key = excluded.key, made_at = excluded.made_at`,
);

/** Makes the answer to a challenge readable, by whichever instance is asked. */
export const publishAnswer = async (database: Runs, token: string, answer: string) => {
  await database.run(removeOld);
  await database.run(publish, { token, answer });
};

const removeOld = statement(
  () => sql`delete from certificate_challenge where made_at < moment() - interval '1 day'`,
);

const publish = statement(
  ({ token, answer }: Given<'token' | 'answer'>) => sql`
    insert into certificate_challenge (token, answer, made_at) values (${token}, ${answer}, moment())
    on conflict (token) do update set answer = excluded.answer, made_at = excluded.made_at`,
);

/** The answer to a challenge; undefined if nobody waits for one. */
export const publishedAnswer = async (database: Runs, token: string) =>
  (await database.first(published, { token }))?.answer;

const published = statement(
  ({ token }: Given<'token'>) => sql<{ answer: string }>`
    select answer from certificate_challenge where token = ${token}`,
);
