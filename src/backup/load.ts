import { sql } from 'drizzle-orm';
import type { Session } from '../postgres/session.ts';
import { type Given, statement } from '../postgres/statement.ts';
import { rowsOf } from './archive.ts';
import type { OnProgress } from './backup.ts';
import {
  columnsOf,
  type Detachable,
  foreignKeysOf,
  indexesOf,
  named,
  setSequence,
  tablesOf,
  triggersOf,
} from './catalogue.ts';
import { type Manifest, rowsIn } from './manifest.ts';

/**
 * What was loaded. Tables that the schema does not have are left out: they are not Matterhorn's.
 */
type Loaded = { leftOut: string[]; foreignKeys: number };

/** What a server leaves in a database before there is a firm. It is nobody's, so it is no reason to refuse a restore. */
export const ofNoFirm = ['job', 'setup_link', 'certificate', 'certificate_account'];

type Loading = {
  identities: readonly string[];
  /** Tables and sequences that stay as they are, also where the backup has some of the same name. */
  leaves: readonly string[];
  signal?: AbortSignal | undefined;
  onProgress: OnProgress;
};

/**
 * Loads a backup's rows and sequences into empty tables of its own schema, without their triggers.
 * Foreign keys and indexes are added again at the end. So the order of tables does not matter, no superuser is needed, it is
 * much faster, and Postgres checks every foreign key over all rows.
 */
export const load = async (
  session: Session,
  file: string,
  manifest: Manifest,
  options: Loading,
): Promise<Loaded> => {
  const { leaves, onProgress } = options;
  const inSchema = (await tablesOf(session)).filter((name) => !leaves.includes(name));
  const there = new Set(
    manifest.tables.map(({ name }) => name).filter((name) => inSchema.includes(name)),
  );
  const isThere = ({ table }: Detachable) => there.has(table);
  const foreignKeys = (await foreignKeysOf(session)).filter(isThere);
  const indexes = (await indexesOf(session)).filter(isThere);
  const triggers = (await triggersOf(session)).filter(isThere);
  await inTurn(session, [...triggers, ...foreignKeys, ...indexes], 'off');
  // Those of the backup take their place.
  const inTheWay = ofNoFirm.filter((name) => there.has(name));
  for (const name of inTheWay) await session.command(`delete from ${named(name)}`);
  await loadRows(session, file, manifest, { ...options, there });
  for (const sequence of manifest.sequences) {
    if (!leaves.includes(sequence.name)) await setSequence(session, sequence);
  }
  await inTurn(session, triggers, 'on');
  await inTurn(session, [...indexes, ...foreignKeys], 'on', (place, all) =>
    onProgress('Building indexes', place, all),
  );
  await session.command(`analyze ${[...there].map(named).join()}`);
  const leftOut = manifest.tables.map(({ name }) => name).filter((name) => !there.has(name));
  return { leftOut, foreignKeys: foreignKeys.length };
};

const inTurn = async (
  session: Session,
  parts: Detachable[],
  which: 'off' | 'on',
  before: (place: number, all: number) => void = () => {},
) => {
  for (const [place, part] of parts.entries()) {
    before(place, parts.length);
    await session.command(part[which]);
  }
};

const batchCharacters = 1_000_000;
const maxRows = 2_000;

const loadRows = async (
  session: Session,
  file: string,
  manifest: Manifest,
  options: Loading & { there: Set<string> },
) => {
  const { there, identities, signal, onProgress } = options;
  const all = rowsIn(manifest);
  let done = 0;
  let insert = { table: '', into: loadInto('', '') };
  let batch: string[] = [];
  let characters = 0;
  // Postgres stores one batch while the next is read.
  let storing: Promise<unknown> = Promise.resolve();
  const store = async () => {
    const rows = `[${batch.join()}]`;
    done += batch.length;
    batch = [];
    characters = 0;
    await storing;
    if (rows === '[]') return;
    storing = session.run(insert.into, { rows });
    storing.catch(() => {});
    onProgress('Restoring', done, all);
  };
  for await (const { table, lines } of rowsOf(file, manifest, identities)) {
    signal?.throwIfAborted();
    if (!there.has(table)) continue;
    if (table !== insert.table) {
      await store();
      await storing;
      insert = { table, into: loadInto(table, await columnsOf(session, table)) };
    }
    for (const line of lines) {
      batch.push(line);
      characters += line.length;
      if (characters > batchCharacters || batch.length === maxRows) await store();
    }
  }
  await store();
  await storing;
};

const loadInto = (table: string, columns: string) =>
  statement(
    ({ rows }: Given<'rows'>) => sql`
      insert into ${sql.raw(`${named(table)} (${columns})`)} overriding system value
      select ${sql.raw(columns)}
      from json_populate_recordset(null::${sql.raw(named(table))}, ${rows}::text::json)`,
  );
