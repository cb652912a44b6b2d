/** @jsxImportSource preact */
/** A list of records: filtered, sorted, with chosen columns, one page at a time; and its file. */
import type { ComponentType } from 'preact';
import { recordExport } from '../../firm/exported.ts';
import type { Actor } from '../../record/actor.ts';
import type { Page as Part } from '../../record/page.ts';
import type { ListField } from '../../views/choices.ts';
import { fieldValuesOf } from '../../views/field-values.ts';
import type { View } from '../../views/view.ts';
import { customFields, namedIn } from '../custom-fields.tsx';
import { addressWith, Bulk, Empty, Foot, pageIn } from '../list.tsx';
import { chosenColumns, columnsNamed, listFile } from '../list-columns.ts';
import { isFiltered, orderIn } from '../list-query.ts';
import { Table } from '../table.tsx';
import type { Shown, Visit } from '../visit.ts';
import type { About, FieldsOf } from './field.tsx';
import { columnsOf, filtersAbove } from './list.tsx';

type Overview<Of extends ListAbout> = {
  rows: Of['line'][];
  total: number;
  isMore?: boolean;
  hasNext?: boolean;
  countOf: Of['counts'] | null;
};

type ListAbout = About & {
  line: { id: string };
  filter: { status: string | null };
  choices: { fields: ListField[]; views: View[] };
  /** How many there are of each status. */
  counts: object;
};

type RecordList<Of extends ListAbout> = {
  list: 'leads' | 'matters';
  noun: 'lead' | 'matter';
  title: string;
  follows: readonly string[];
  fields: FieldsOf<Of>;
  sorts: readonly Of['sort'][];
  nameOf(line: Of['line']): string;
  filterIn(query: URLSearchParams, memberId: string): Of['filter'];
  choicesOf(actor: Actor, query: URLSearchParams): Promise<Of['choices']>;
  read(
    actor: Actor,
    filter: Of['filter'],
    order: { by: Of['sort'] | 'created'; isDown: boolean },
    part: Part,
  ): Promise<Overview<Of>>;
  Head: ComponentType<{ countOf: Of['counts'] | null; status: Of['filter']['status'] }>;
  /** The buttons for ticked records. */
  BulkButtons: ComponentType<{ choices: Of['choices'] }>;
};

/** How many records are written into one file. */
const maxExported = 100_000;

/** How many letters of a custom field are shown in a list, and how many are in its file. */
const [maxInCell, maxInFile] = [255, 4_096];

export const recordList = <Of extends ListAbout>(of: RecordList<Of>) => {
  const { list, noun, title, nameOf, Head, BulkButtons } = of;
  const path = `/${list}`;
  const columns = columnsOf(of.fields);
  const columnsIn = (query: URLSearchParams, defined: readonly ListField[]) => {
    const own = namedIn(columnsNamed(query), defined);
    return chosenColumns(query, [...columns, ...columnsOf(customFields<Of>(own))]);
  };
  const Above = filtersAbove({ path, list, fields: of.fields, columnsIn });

  const filterOf = ({ query, session }: Visit) => of.filterIn(query, session.member.id);
  const read = ({ actor, query }: Visit, filter: Of['filter'], part: Part) =>
    of.read(actor, filter, orderIn(query, of.sorts), part);

  /** The lines with their values of the custom fields that are columns: one statement more. */
  const withOwn = async (
    { actor, query, may }: Visit,
    lines: Of['line'][],
    defined: readonly ListField[],
    maxLetters: number,
  ): Promise<Of['line'][]> => {
    const fields = namedIn(columnsNamed(query), defined);
    if (fields.length === 0) return lines;
    const [seesContacts, seesMatters] = [may('contacts:read'), may('matters:read')];
    const asked = { fields, maxLetters, seesContacts, seesMatters };
    const ids = lines.map(({ id }) => id);
    const values = await fieldValuesOf(actor, noun, ids, asked);
    return lines.map((line) => ({ ...line, customFields: values.get(line.id) }));
  };

  const showList = async (visit: Visit): Promise<Shown> => {
    const { actor, query, session, may } = visit;
    const [part, filter] = [pageIn(query), filterOf(visit)];
    const [choices, overview] = await Promise.all([
      of.choicesOf(actor, query),
      read(visit, filter, part),
    ]);
    const { rows: lines, total, countOf, ...more } = overview;
    const rows = await withOwn(visit, lines, choices.fields, maxInCell);
    const mayWrite = may(`${list}:write`);
    const pick = (line: Of['line']) => ({ id: line.id, name: nameOf(line) });
    const table = (
      <Table
        caption={title}
        columns={columnsIn(query, choices.fields)}
        rows={rows}
        {...(mayWrite && { pick })}
        isLong
      />
    );
    return {
      title,
      follows: [...of.follows, 'saved_view'],
      main: (
        <>
          <Head countOf={countOf} status={filter.status} />
          <Above
            choices={choices}
            mayExport={may('data:export')}
            memberId={session.member.id}
            isOwner={session.isOwner}
          />
          {rows.length === 0 && <Nothing query={query} noun={noun} list={list} />}
          {rows.length > 0 && !mayWrite && table}
          {rows.length > 0 && mayWrite && (
            <Bulk action={`${path}?${query}`} buttons={<BulkButtons choices={choices} />}>
              {table}
            </Bulk>
          )}
          {total > 0 && <Foot part={part} total={total} shown={rows.length} {...more} />}
        </>
      ),
    };
  };

  const exportList = async (visit: Visit): Promise<Response> => {
    const { actor, query, session } = visit;
    const [{ fields }, { rows: lines }] = await Promise.all([
      of.choicesOf(actor, query),
      read(visit, filterOf(visit), { limit: maxExported, offset: 0 }),
    ]);
    const rows = await withOwn(visit, lines, fields, maxInFile);
    const address = addressWith(path, query, { page: null });
    await recordExport(actor, { what: list, address, rows: rows.length });
    return listFile(list, columnsIn(query, fields), rows, session.timeZone);
  };

  return { showList, exportList };
};

const Nothing = (of: { query: URLSearchParams; noun: string; list: string }) =>
  isFiltered(of.query) ? (
    <Empty text={`No ${of.noun} matches.`}>
      <a class="button" href={`/${of.list}?view=list`}>
        Show all active {of.list}
      </a>
    </Empty>
  ) : (
    <Empty text={`There are no ${of.list} here yet.`} />
  );
