/** The outcomes of an import's rows, for people to read and correct. */
import { sql } from 'drizzle-orm';
import { type Given, statement } from '../postgres/statement.ts';
import type { Reader } from '../record/actor.ts';
import type { Page } from '../record/page.ts';
import { canSeeContact, canSeeLead, type Viewer, viewerOf } from '../visibility/visibility.ts';
import { skippedHeads } from './columns.ts';
import { firstRows, readRows, type Separator } from './file.ts';
import { contentOf, readImport, sameAs } from './stored.ts';
import type { ImportedKind } from './table.ts';

const same = sql.raw(`'${sameAs}'`);

/** A row that was or would be skipped, by its number as stored, and the reason. */
export type RefusedRow = { row: number; why: string };

/** A page of the refused rows, in the file's order. */
export const refusedRows = (reader: Reader, id: string, page: Page): Promise<RefusedRow[]> =>
  reader.run(refused, { firmId: reader.firmId, id, ...page });

const refused = statement(
  (given: Given<{ firmId: string; id: string } & Page>) => sql<RefusedRow>`
    select row, refusal as why from imported_row
    where firm_id = ${given.firmId}::uuid and import_id = ${given.id}::uuid
      and refusal is not null and refusal <> ${same}
    order by row limit ${given.limit}::int offset ${given.offset}::int`,
);

/** A row and its record; null if an earlier row of the same file makes the record. */
export type RecordOfRow = { row: number; id: string | null; name: string | null };

/** The rows that are the same as an existing record, with the records that the reader may see. */
export const sameRows = (reader: Reader, id: string, kind: ImportedKind, page: Page) =>
  reader.run(samesOf[kind], { ...viewerOf(reader), id, ...page });

/** The records that an undo kept, because somebody worked on them; only those the reader may see. */
export const keptRows = (reader: Reader, id: string, kind: ImportedKind, page: Page) =>
  reader.run(keptOf[kind], { ...viewerOf(reader), id, ...page });

type Listed = Given<Viewer & { id: string } & Page>;

const named = {
  contact: (given: Listed) => sql`select contact.id, contact.name from contact
    where contact.firm_id = ${given.firmId}::uuid and contact.id = imported.record_id
      and contact.deleted_at is null and ${canSeeContact(given)}`,
  lead: (given: Listed) => sql`
    select lead.id, lead.number || coalesce(' ' || contact.name, '') as name from lead
    left join contact on contact.firm_id = lead.firm_id and contact.id = lead.contact_id
      and contact.deleted_at is null
    where lead.firm_id = ${given.firmId}::uuid and lead.id = imported.record_id
      and lead.deleted_at is null and ${canSeeLead(given)}`,
  matter: (given: Listed) => sql`
    select matter.id, matter.number || ' ' || matter.title as name from matter
    where matter.firm_id = ${given.firmId}::uuid and matter.id = imported.record_id
      and matter.deleted_at is null`,
};

const ofRows = (kind: ImportedKind, which: ReturnType<typeof sql>, join: ReturnType<typeof sql>) =>
  statement(
    (given: Listed) => sql<RecordOfRow>`
      select imported.row, record.id::text as id, record.name from imported_row imported
      ${join} lateral (${named[kind](given)}) record on true
      where imported.firm_id = ${given.firmId}::uuid and imported.import_id = ${given.id}::uuid
        and ${which}
      order by imported.row limit ${given.limit}::int offset ${given.offset}::int`,
  );

const samesFor = (kind: ImportedKind) =>
  ofRows(kind, sql`imported.refusal = ${same}`, sql`left join`);
const keptFor = (kind: ImportedKind) =>
  ofRows(kind, sql`imported.refusal is null and imported.record_id is not null`, sql`join`);

const samesOf = {
  contact: samesFor('contact'),
  lead: samesFor('lead'),
  matter: samesFor('matter'),
};
const keptOf = { contact: keptFor('contact'), lead: keptFor('lead'), matter: keptFor('matter') };

/** The first cells of each column, as examples. */
export const samplesIn = async (reader: Reader, id: string): Promise<string[][]> => {
  const [{ mapping }, content] = await Promise.all([readImport(reader, id), contentOf(reader, id)]);
  const rows = await firstRows(content, mapping.separator);
  return mapping.heads.map((_, at) => [
    ...new Set(rows.flatMap(({ cells }) => cells[at]?.trim() || [])),
  ]);
};

const maxRefused = { limit: 20_000, offset: 0 };

/**
 * The refused rows as they are in the file, with their reasons in new columns. People correct and
 * import them again. Throws `Refusal` not_found, and conflict if the file is no longer kept.
 */
export const refusedFile = async (reader: Reader, id: string) => {
  const [found, content, why] = await Promise.all([
    readImport(reader, id),
    contentOf(reader, id),
    refusedRows(reader, id, maxRefused),
  ]);
  const { separator, countsBlankRows = false } = found.mapping;
  const { heads, rows } = await readRows(content, separator, countsBlankRows);
  const cellsAt = new Map(rows.map(({ row, cells }) => [row, cells]));
  return {
    fileName: found.fileName.replace(/\.[^.]*$/, ''),
    head: [...heads, ...skippedHeads],
    rows: why.map((one) => {
      const cells = inColumns(cellsAt.get(one.row) ?? [], heads.length, separator);
      return [...cells, String(one.row + 1), one.why];
    }),
  };
};

/** A row's cells in so many columns: what stands behind the last one belongs to its text. */
const inColumns = (cells: readonly string[], count: number, separator: Separator): string[] => {
  const isLonger = cells.slice(count).some((cell) => cell.trim());
  const last = isLonger ? cells.slice(count - 1).join(separator) : cells[count - 1];
  return Array.from({ length: count }, (_, at) => (at < count - 1 ? cells[at] : last) ?? '');
};
