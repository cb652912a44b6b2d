/** Imports as they are stored. */
import { and, desc, eq, sql } from 'drizzle-orm';
import { notFound, Refusal } from '../base/refusal.ts';
import { member } from '../firm/table.ts';
import { type Given, query, statement } from '../postgres/statement.ts';
import type { Reader } from '../record/actor.ts';
import type { Page } from '../record/page.ts';
import type { Write } from '../record/write.ts';
import { type ImportCounts, type Mapping, noCounts, stateOf } from './state.ts';
import { dataImport, importedRow } from './table.ts';

/** How long an import can be undone, and its file is kept. */
export const undoDays = 30;

const columns = {
  id: dataImport.id,
  kind: dataImport.kind,
  memberId: dataImport.memberId,
  memberName: member.name,
  fileName: dataImport.fileName,
  mapping: dataImport.mapping,
  counts: dataImport.counts,
  createdAt: dataImport.createdAt,
  importedAt: dataImport.importedAt,
  undoneAt: dataImport.undoneAt,
  hasContent: sql<boolean>`${dataImport.content} is not null`.as('has_content'),
};

const imports = () =>
  query
    .select(columns)
    .from(dataImport)
    .innerJoin(
      member,
      and(eq(member.firmId, dataImport.firmId), eq(member.id, dataImport.memberId)),
    );

const isThis = ({ firmId, id }: Given<'firmId' | 'id'>) =>
  and(eq(dataImport.firmId, firmId), eq(dataImport.id, id));

const importById = statement((given: Given<'firmId' | 'id'>) => imports().where(isThis(given)));

const importPage = statement((given: Given<{ firmId: string } & Page>) =>
  imports()
    .where(eq(dataImport.firmId, given.firmId))
    .orderBy(desc(dataImport.createdAt), desc(dataImport.id))
    .limit(given.limit)
    .offset(given.offset),
);

const countImports = statement(
  ({ firmId }: Given<'firmId'>) => sql<{ count: number }>`
    select count(*)::int as count from data_import where firm_id = ${firmId}::uuid`,
);

/** An import without its file. */
export type Import = Awaited<ReturnType<typeof readImport>>;

/** One import. Throws `Refusal` not_found. */
export const readImport = async (reader: Reader, id: string) => {
  const found = await reader.first(importById, { firmId: reader.firmId, id });
  if (!found) throw notFound();
  return seen(found);
};

// What releases before did not count is 0, here and nowhere else.
const seen = <Row extends Stored>(row: Row) => ({
  ...row,
  counts: { ...noCounts, ...row.counts },
  state: stateOf(row.mapping, row),
});

type Stored = Pick<
  typeof dataImport.$inferSelect,
  'mapping' | 'counts' | 'importedAt' | 'undoneAt'
>;

/** A page of the firm's imports, newest first. */
export const listImports = async (reader: Reader, page: Page) => {
  const { firmId } = reader;
  const [rows, counted] = await Promise.all([
    reader.run(importPage, { firmId, ...page }),
    reader.first(countImports, { firmId }),
  ]);
  return { rows: rows.map(seen), total: counted?.count ?? 0 };
};

/** The file's text. Throws `Refusal` not_found, and conflict if it is no longer kept. */
export const contentOf = async (reader: Reader, id: string): Promise<string> => {
  const found = await reader.first(contentById, { firmId: reader.firmId, id });
  if (!found) throw notFound();
  if (found.content !== null) return found.content;
  throw new Refusal('conflict', `The file was stored for ${undoDays} days, and has been removed.`);
};

const contentById = statement((given: Given<'firmId' | 'id'>) =>
  query.select({ content: dataImport.content }).from(dataImport).where(isThis(given)),
);

/** An import, locked until the commit. Throws `Refusal` not_found. */
export const importForChange = async (w: Reader, id: string) => {
  const found = await w.first(importHeld, { firmId: w.firmId, id });
  if (!found) throw notFound();
  return seen(found);
};

const importHeld = statement((given: Given<'firmId' | 'id'>) =>
  imports().where(isThis(given)).for('update', { of: dataImport }),
);

/** Stores how a file is read, and how many rows had each outcome. */
export const setMapping = (w: Write, id: string, mapping: Mapping, counts: Partial<ImportCounts>) =>
  void w.run(putMapping, {
    firmId: w.firmId,
    id,
    mapping: JSON.stringify(mapping),
    counts: JSON.stringify(counts),
  });

const putMapping = statement(
  ({ firmId, id, mapping, counts }: Given<'firmId' | 'id' | 'mapping' | 'counts'>) => sql`
    update data_import set mapping = ${mapping}::jsonb, counts = ${counts}::jsonb
    where firm_id = ${firmId}::uuid and id = ${id}::uuid`,
);

/** Deletes the stored outcomes of an import's rows. */
export const forgetRows = (w: Write, id: string) => void w.run(dropRows, { firmId: w.firmId, id });

const dropRows = statement(({ firmId, id }: Given<'firmId' | 'id'>) =>
  query
    .delete(importedRow)
    .where(and(eq(importedRow.firmId, firmId), eq(importedRow.importId, id))),
);

/** Stored as the refusal of a row that is the same as an existing record. */
export const sameAs = 'same';

/** A row as it is stored: made (a record), refused (why), or the same as a record (`sameAs`). */
export type Outcome = { row: number; recordId: string | null; refusal: string | null };

/** Stores the outcomes of rows, in place of earlier ones. */
export const storeOutcomes = (w: Pick<Write, 'firmId' | 'run'>, id: string, all: Outcome[]) => {
  if (all.length === 0) return;
  void w.run(putRows, { firmId: w.firmId, id, outcomes: JSON.stringify(all) });
};

const putRows = statement(
  ({ firmId, id, outcomes }: Given<'firmId' | 'id' | 'outcomes'>) => sql`
    insert into imported_row (firm_id, import_id, row, record_id, refusal)
    select data_import.firm_id, data_import.id, sent.row, sent."recordId", sent.refusal
    from data_import, json_to_recordset(${outcomes}::json)
      as sent (row integer, "recordId" uuid, refusal text)
    where data_import.firm_id = ${firmId} and data_import.id = ${id}
    on conflict (firm_id, import_id, row) do update
      set record_id = excluded.record_id, refusal = excluded.refusal`,
);

export const timeZoneOf = async (reader: Reader) =>
  (await reader.first(firmZone, { firmId: reader.firmId }))?.timeZone ?? 'UTC';

const firmZone = statement(
  ({ firmId }: Given<'firmId'>) => sql<{ timeZone: string }>`
    select time_zone as "timeZone" from firm where id = ${firmId}::uuid`,
);

export const begunAlready = () =>
  new Refusal('conflict', 'This import has already begun. Its columns can no longer be changed.');
