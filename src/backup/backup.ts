import { sql } from 'drizzle-orm';
import { lastSealOf } from '../audit/chain.ts';
import { firmsOfLog } from '../audit/verify.ts';
import type { InstallationKey } from '../base/installation-key.ts';
import { Refusal } from '../base/refusal.ts';
import { isSpread } from '../postgres/citus/distribute.ts';
import { newestMigration, refuseUnfit } from '../postgres/migrate.ts';
import type { Session } from '../postgres/session.ts';
import { statement } from '../postgres/statement.ts';
import { version } from '../version.ts';
import { writeArchive } from './archive.ts';
import { named, sequencesOf, settle, sumOf, tablesOf } from './catalogue.ts';
import { format, type Head, type Manifest, rowsIn } from './manifest.ts';

/** Receives progress: `done` of `all`; `all` is 0 if unknown. */
export type OnProgress = (doing: string, done: number, all: number) => void;

export type Backup = { manifest: Manifest; bytes: number };

/** With a key, the backup is signed; with recipients, it is encrypted for them. */
type BackupOptions = {
  signal?: AbortSignal;
  key?: InstallationKey | undefined;
  recipients?: readonly string[];
  onProgress?: OnProgress;
};

const severalNodes =
  'This database is spread over several nodes, and a backup of it in one file would lack a common moment. Back up each node with the tools of Postgres, and create a restore point of all nodes (docs/scaling.md).';

/**
 * Writes everything as of one moment to a file, while others go on writing; they are neither held
 * up nor seen. Throws `Refusal` if there is nothing to back up, or the file cannot be written.
 * Then, or if `signal` is aborted, there is no file.
 */
export const makeBackup = async (
  session: Session,
  file: string,
  { signal, key, recipients = [], onProgress = () => {} }: BackupOptions = {},
): Promise<Backup> => {
  await settle(session);
  await refuseUnfit(session);
  if (await isSpread(session)) throw new Refusal('conflict', severalNodes);
  return await session.transaction(async () => {
    const { manifest, longest } = await takeStock(session, onProgress);
    const lines = linesOf(session, manifest, longest, onProgress);
    return { manifest, bytes: await writeArchive(file, lines, { signal, key, recipients }) };
  }, 'isolation level repeatable read, read only');
};

const takeStock = async (session: Session, onProgress: OnProgress) => {
  const migration = await newestMigration(session);
  if (migration === undefined) {
    throw new Refusal(
      'conflict',
      'There is nothing to back up: this database has no data of Matterhorn.',
    );
  }
  const names = await tablesOf(session);
  // A reader's lock: only a change of a table waits.
  await session.command(`lock table ${names.map(named).join()} in access share mode`);
  const circumstances = await session.first(circumstancesNow);
  const sums = [];
  for (const [place, name] of names.entries()) {
    onProgress('Counting rows', place, names.length);
    sums.push(await sumOf(session, name));
  }
  const manifest: Manifest = {
    matterhorn: 'backup',
    format,
    version,
    postgres: circumstances?.postgres ?? 0,
    migration,
    madeAt: new Date(circumstances?.at ?? '').toISOString(),
    tables: sums.map(({ longest: _, ...sum }) => sum),
    sequences: await sequencesOf(session),
    firms: await headsOf(session),
  };
  return { manifest, longest: new Map(sums.map(({ name, longest }) => [name, longest])) };
};

const circumstancesNow = statement(
  () => sql<{ postgres: number; at: string }>`
    select current_setting('server_version_num')::int / 10000 as postgres, moment() as at`,
);

/** The end of each firm's audit log. */
export const headsOf = async (session: Session): Promise<Head[]> => {
  const heads: Head[] = [];
  for (const firmId of await firmsOfLog(session)) {
    const { number, hash } = await lastSealOf(session, firmId);
    heads.push({ firmId, seals: String(number), hash });
  }
  return heads;
};

async function* linesOf(
  session: Session,
  manifest: Manifest,
  longest: Map<string, number>,
  onProgress: OnProgress,
): AsyncGenerator<string> {
  const all = rowsIn(manifest);
  let done = 0;
  yield `${JSON.stringify(manifest)}\n`;
  for (const { name } of manifest.tables) {
    yield `${JSON.stringify({ table: name })}\n`;
    for await (const rows of pagesOf(session, name, longest.get(name) ?? 0)) {
      done += rows.length;
      onProgress('Backing up', done, all);
      yield `${rows.map(({ line }) => line).join('\n')}\n`;
    }
  }
}

// Two pages are in memory at a time, whatever the rows hold. A single row may hold sixteen million
// characters.
const pageBytes = 2_000_000;
const maxRows = 2_000;

/**
 * A table's rows as JSON, page by page along a cursor. postgres.js's own cursor hides a lost
 * connection.
 */
async function* pagesOf(session: Session, table: string, longest: number) {
  const size = Math.min(maxRows, Math.max(1, Math.floor(pageBytes / Math.max(1, longest))));
  const nextPage = statement(
    () => sql<{ line: string }>`fetch forward ${sql.raw(String(size))} from backed_up`,
  );
  const read = () => {
    const page = session.run(nextPage);
    page.catch(() => {});
    return page;
  };
  await session.command(`declare backed_up no scroll cursor for
    select row_to_json("the row")::text as line from ${named(table)} as "the row"`);
  let next = read();
  for (let page = await next; page.length > 0; page = await next) {
    // The next page is read while this one is written.
    next = read();
    yield page;
  }
  await session.command('close backed_up');
}
