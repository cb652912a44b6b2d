/** @jsxImportSource preact */
/** A list of records: filtered, sorted, with chosen columns, one page at a time; and its file. */
import type { ComponentType } from 'preact';
import { capitalised } from '../../base/wording.ts';
import { maxBulk } from '../../bulk/bulk.ts';
import type { DefinedField } from '../../custom-fields/custom-field.ts';
import { recordExport } from '../../firm/exported.ts';
import type { Actor } from '../../record/actor.ts';
import type { Page as Part } from '../../record/page.ts';
import type { ListChoices } from '../../views/choices.ts';
import { fieldValuesOf, type Listed } from '../../views/field-values.ts';
import type { ListName } from '../../views/table.ts';
import { bulkForm, everyField, LastDone } from '../bulk.tsx';
import { customFields, namedIn } from '../custom-fields.tsx';
import { addressWith, Bulk, type Every, Foot, pageIn, type RowKey } from '../list.tsx';
import { chosenColumns, columnsNamed, listFile } from '../list-columns.ts';
import { countedIn, isFiltered, orderIn } from '../list-query.ts';
import { Empty, NothingYet, TitleMaking } from '../page-parts.tsx';
import { dropView, keepView } from '../saved-views.tsx';
import { Table } from '../table.tsx';
import { form, type Page, type Shown, type ShownPage, type Visit } from '../visit.ts';
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
  /** How many there are of each status. */
  counts: object;
};

type RecordList<Of extends ListAbout> = {
  list: ListName;
  noun: Listed;
  /** What else than its records it shows. */
  follows?: readonly string[];
  fields: FieldsOf<Of>;
  /** What the words that are typed above it may be. */
  foundBy: string;
  /** Whether its head has tabs: views, columns and export then stand beside them, before the filters. */
  hasTabs?: boolean;
  nameOf(line: Of['line']): string;
  filterIn(query: URLSearchParams, memberId: string): Of['filter'];
  choicesOf(visit: Visit): Promise<Of['choices'] & ListChoices>;
  read(
    actor: Actor,
    filter: Of['filter'],
    order: { by: Of['sort'] | 'created'; isDown: boolean },
    part: Part,
  ): Promise<Overview<Of>>;
  /** How many pass a filter, for a list that does not count all of them: up to one more than `max`. */
  count?(actor: Actor, filter: Of['filter'], max: number): Promise<number>;
  /** By default its title, and the button that makes a record. */
  Head?: ComponentType<{ countOf: Of['counts'] | null; filter: Of['filter'] }>;
  /** What stands instead of the list if there are no records at all. */
  Nothing?: ComponentType;
  /** The buttons for ticked records. Without them, none can be ticked. */
  BulkButtons?: ComponentType<{ choices: Of['choices'] }>;
  /** The dialogs that they open: a form stands in no other. */
  BulkDialogs?: ComponentType<{ choices: Of['choices'] }>;
  /** The key of a row, for who may do what it asks. */
  rowKeyFor?(visit: Visit): RowKey | undefined;
};

/** How many records are written into one file. */
const maxExported = 100_000;

/** How many letters of a custom field are shown in a list, and how many are in its file. */
const [maxInCell, maxInFile] = [255, 4_096];

/** The page of a list, and its forms. */
export const recordList = <Of extends ListAbout>(of: RecordList<Of>) => {
  const { list, noun, nameOf, BulkButtons, BulkDialogs } = of;
  const path = `/${list}`;
  const title = capitalised(list);
  const making = { path: `${path}/new`, words: `New ${noun}` };
  const Head = of.Head ?? (() => <TitleMaking title={title} {...making} />);
  const Nothing =
    of.Nothing ?? (() => <NothingYet text={`There are no ${list} here yet.`} {...making} />);
  const columns = columnsOf(of.fields);
  const columnsFor = ({ may }: Visit) => columns.filter(({ needs }) => !needs || may(needs));
  const columnsIn = (visit: Visit, defined: readonly DefinedField[]) => {
    const own = namedIn(columnsNamed(visit.query), defined);
    const all = [...columnsFor(visit), ...columnsOf(customFields<Of>(own))];
    return chosenColumns(visit.query, all);
  };
  const Above = filtersAbove({ hasTabs: false, ...of, path });

  const filterOf = ({ query, session }: Visit) => of.filterIn(query, session.member.id);
  const read = (visit: Visit, filter: Of['filter'], part: Part) => {
    const sorts = columnsFor(visit).flatMap(({ sort }) => sort ?? []) as Of['sort'][];
    return of.read(visit.actor, filter, orderIn(visit.query, sorts), part);
  };

  /** The lines with their values of the custom fields that are columns: one statement more. */
  const withOwn = async (
    { actor, query, may }: Visit,
    lines: Of['line'][],
    defined: readonly DefinedField[],
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

  /** All that match, to be chosen at once. Where the list does not count them, they are if it is asked for. */
  const everyOf = async (
    visit: Visit,
    { total, isMore, rows }: Overview<Of>,
  ): Promise<Every | null> => {
    const { actor, query } = visit;
    if (!isMore) return total > rows.length ? { name: everyField, total } : null;
    if (!of.count) return null;
    if (!query.has(countedIn)) return { countedAt: addressWith(path, query, { [countedIn]: '1' }) };
    const count = await of.count(actor, filterOf(visit), maxBulk);
    return count > maxBulk ? { isMoreThan: maxBulk } : { name: everyField, total: count };
  };

  const showList = async (visit: Visit): Promise<Shown> => {
    const { query, session, may } = visit;
    const [part, filter] = [pageIn(query), filterOf(visit)];
    const [choices, overview] = await Promise.all([of.choicesOf(visit), read(visit, filter, part)]);
    const { rows: lines, total, countOf, ...more } = overview;
    const shown = columnsIn(visit, choices.fields);
    const mayPick = BulkButtons !== undefined && may(`${list}:write`);
    const [rows, every] = await Promise.all([
      withOwn(visit, lines, choices.fields, maxInCell),
      mayPick ? everyOf(visit, overview) : null,
    ]);
    const pick = (line: Of['line']) => ({ id: line.id, name: nameOf(line) });
    const table = (
      <Table
        id="list"
        caption={title}
        columns={shown}
        rows={rows}
        {...(mayPick && { pick })}
        isLong
      />
    );
    return {
      title,
      follows: [noun, ...(of.follows ?? []), 'saved_view'],
      work: rows.length > 0 ? 'list' : undefined,
      main: (
        <>
          <Head countOf={countOf} filter={filter} />
          <Above
            choices={choices}
            offered={columnsFor(visit).map(({ key }) => key)}
            shown={shown.map(({ key }) => key)}
            mayExport={may('data:export')}
            memberId={session.member.id}
            isOwner={session.isOwner}
            formats={session.formats}
          />
          {rows.length === 0 &&
            (isFiltered(query) ? <NoMatch path={path} filter={filter} /> : <Nothing />)}
          {mayPick && <LastDone />}
          {rows.length > 0 && !mayPick && table}
          {rows.length > 0 && mayPick && (
            <Bulk
              action={`${path}?${query}`}
              id={bulkForm}
              noun={noun}
              every={every}
              rowKey={of.rowKeyFor?.(visit)}
              buttons={<BulkButtons choices={choices} />}
            >
              {table}
            </Bulk>
          )}
          {rows.length > 0 && mayPick && BulkDialogs && <BulkDialogs choices={choices} />}
          {total > 0 && <Foot part={part} total={total} shown={rows.length} {...more} />}
        </>
      ),
    };
  };

  const exportList = async (visit: Visit): Promise<Response> => {
    const { actor, query, session } = visit;
    const [{ fields }, { rows: lines }] = await Promise.all([
      of.choicesOf(visit),
      read(visit, filterOf(visit), { limit: maxExported, offset: 0 }),
    ]);
    const rows = await withOwn(visit, lines, fields, maxInFile);
    const address = addressWith(path, query, { page: null });
    await recordExport(actor, { what: list, address, rows: rows.length });
    return listFile(list, columnsIn(visit, fields), rows, session);
  };

  /** The forms of the list. What is refused is shown on `again`. */
  const listForms = (again: ShownPage): Page[] => [
    form(`${path}/export`, { allOf: ['data:export', `${list}:read`] }, exportList, again),
    form(`${path}/views`, `${list}:read`, keepView(list), again),
    form(`${path}/views/:id/remove`, `${list}:read`, dropView(list), again),
  ];

  return { showList, listForms };
};

type NoMatchProps = { path: string; filter: { status?: unknown } };

const NoMatch = ({ path, filter }: NoMatchProps) => (
  <Empty text={`No ${path.slice(1)} match these filters.`}>
    <a class="button" href={'status' in filter ? `${path}?view=list` : path}>
      Show all {'status' in filter && 'active '}
      {path.slice(1)}
    </a>
  </Empty>
);
