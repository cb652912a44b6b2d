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

/**
 * A row and its record; null if an earlier row of the same file makes it (`isOfFile`), or if it was deleted since or the
 * reader may not see it. Of a lead that was hired, also its matter.
 */
export type RecordOfRow = {
  row: number;
  isOfFile: boolean;
  id: string | null;
  name: string | null;
  matterId: string | null;
  matterNumber: string | null;
};

/** The rows that are the same as an existing record, with the records that the reader may see. */
export const sameRows = (reader: Reader, id: string, kind: ImportedKind, page: Page) =>
  reader.run(samesOf[kind], { ...viewerOf(reader), id, ...page });

/** The records that an undo kept, because somebody worked on them; only those the reader may see. */
export const keptRows = (reader: Reader, id: string, kind: ImportedKind, page: Page) =>
  reader.run(keptOf[kind], { ...viewerOf(reader), id, ...page });

type Listed = Given<Viewer & { id: string } & Page>;

const noMatter = sql`null::uuid as matter_id, null::text as matter_number`;

const named = {
  contact: (given: Listed) => sql`select contact.id, contact.name, ${noMatter} from contact
    where contact.firm_id = ${given.firmId}::uuid and contact.id = imported.record_id
      and contact.deleted_at is null and ${canSeeContact(given)}`,
  lead: (given: Listed) => sql`
    select lead.id, lead.number || coalesce(' ' || contact.name, '') as name,
      matter.id as matter_id, matter.number as matter_number
    from lead
    left join contact on contact.firm_id = lead.firm_id and contact.id = lead.contact_id
      and contact.deleted_at is null
    left join matter on matter.firm_id = lead.firm_id and matter.id = lead.matter_id
      and lead.status = 'HIRED' and matter.deleted_at is null
    where lead.firm_id = ${given.firmId}::uuid and lead.id = imported.record_id
      and lead.deleted_at is null and ${canSeeLead(given)}`,
  matter: (given: Listed) => sql`
    select matter.id, matter.number || ' ' || matter.title as name, ${noMatter} from matter
    where matter.firm_id = ${given.firmId}::uuid and matter.id = imported.record_id
      and matter.deleted_at is null`,
};

const ofRows = (kind: ImportedKind, which: ReturnType<typeof sql>, join: ReturnType<typeof sql>) =>
  statement(
    (given: Listed) => sql<RecordOfRow>`
      select imported.row, imported.record_id is null as "isOfFile", record.id::text as id, record.name,
        record.matter_id::text as "matterId", record.matter_number as "matterNumber"
      from imported_row imported
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

const maxSkipped = { limit: 20_000, offset: 0 };

/**
 * The rows that made no record as they are in the file, with the reason in new columns: the refused ones, which people
 * correct and import again, and those whose record exists already. `seesMatters`: whether the reader's role reads
 * matters. Throws `Refusal` not_found, and conflict if the file is no longer kept.
 */
export const skippedFile = async (reader: Reader, id: string, seesMatters: boolean) => {
  const found = await readImport(reader, id);
  const [content, refused, sames] = await Promise.all([
    contentOf(reader, id),
    refusedRows(reader, id, maxSkipped),
    sameRows(reader, id, found.kind, maxSkipped),
  ]);
  const known = sames.map((one) => ({ row: one.row, why: whyKnown(found.kind, one, seesMatters) }));
  const { separator, countsBlankRows = false } = found.mapping;
  const { heads, rows } = await readRows(content, separator, countsBlankRows);
  const cellsAt = new Map(rows.map(({ row, cells }) => [row, cells]));
  return {
    fileName: found.fileName.replace(/\.[^.]*$/, ''),
    head: [...heads, ...skippedHeads],
    rows: [...refused, ...known]
      .toSorted((a, b) => a.row - b.row)
      .map((one) => {
        const cells = inColumns(cellsAt.get(one.row) ?? [], heads.length, separator);
        return [...cells, String(one.row + 1), one.why];
      }),
  };
};

const whyKnown = (kind: ImportedKind, one: RecordOfRow, seesMatters: boolean): string => {
  if (one.id === null) return `${existsAlready}: ${namelessWords(kind, one)}.`;
  const matter = seesMatters && one.matterNumber ? ` Hired, as matter ${one.matterNumber}.` : '';
  return `${existsAlready}: ${kind} ${one.name}.${matter} ${adviceOn(kind, matter !== '')}`;
};

/** What a row is the same as, where no record can be named. */
export const namelessWords = (kind: ImportedKind, { isOfFile }: RecordOfRow): string =>
  isOfFile ? 'an earlier row of the file' : `a ${kind} that was deleted, or that you may not see`;

export const existsAlready = 'Exists already';

/** What to do with what a row says besides, because an import changes no record. */
export const adviceOn = (kind: ImportedKind, isHired = false): string =>
  kind === 'lead'
    ? `Add what is new to the ${isHired ? 'matter' : 'lead'} as a note, or create a lead by hand.`
    : `Add what is new to the ${kind} by hand.`;

/** A row's cells in so many columns: what stands behind the last one belongs to its text. */
const inColumns = (cells: readonly string[], count: number, separator: Separator): string[] => {
  const isLonger = cells.slice(count).some((cell) => cell.trim());
  const last = isLonger ? cells.slice(count - 1).join(separator) : cells[count - 1];
  return Array.from({ length: count }, (_, at) => (at < count - 1 ? cells[at] : last) ?? '');
};
