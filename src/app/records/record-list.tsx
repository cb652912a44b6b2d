/** @jsxImportSource preact */
/** A list of records: filtered, sorted, with chosen columns, one page at a time; and its file. */
import type { ComponentType } from 'preact';
import { recordExport } from '../../firm/exported.ts';
import type { Actor } from '../../record/actor.ts';
import type { Page as Part } from '../../record/page.ts';
import type { ListField } from '../../views/choices.ts';
import type { View } from '../../views/view.ts';
import { addressWith, Bulk, Empty, Foot, pageIn } from '../list.tsx';
import { chosenColumns, listFile } from '../list-columns.ts';
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
  noun: string;
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

export const recordList = <Of extends ListAbout>(of: RecordList<Of>) => {
  const { list, noun, title, nameOf, Head, BulkButtons } = of;
  const path = `/${list}`;
  const columns = columnsOf(of.fields);
  const columnsIn = (query: URLSearchParams) => chosenColumns(query, columns);
  const Above = filtersAbove({ path, list, fields: of.fields, columnsIn });

  const filterOf = ({ query, session }: Visit) => of.filterIn(query, session.member.id);
  const read = ({ actor, query }: Visit, filter: Of['filter'], part: Part) =>
    of.read(actor, filter, orderIn(query, of.sorts), part);

  const showList = async (visit: Visit): Promise<Shown> => {
    const { actor, query, session, may } = visit;
    const [part, filter] = [pageIn(query), filterOf(visit)];
    const [choices, overview] = await Promise.all([
      of.choicesOf(actor, query),
      read(visit, filter, part),
    ]);
    const { rows, total, countOf, ...more } = overview;
    const mayWrite = may(`${list}:write`);
    const pick = (line: Of['line']) => ({ id: line.id, name: nameOf(line) });
    const table = (
      <Table
        caption={title}
        columns={columnsIn(query)}
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
    const { rows } = await read(visit, filterOf(visit), { limit: maxExported, offset: 0 });
    const address = addressWith(path, query, { page: null });
    await recordExport(actor, { what: list, address, rows: rows.length });
    return listFile(list, columnsIn(query), rows, session.timeZone);
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
