/** @jsxImportSource preact */
import { recordExport } from '../../firm/exported.ts';
import { matterSorts } from '../../matters/order.ts';
import { type MatterLine, readMatterOverview } from '../../matters/overview.ts';
import { type MatterChoices, matterChoicesOf } from '../../views/choices.ts';
import { Choose } from '../bulk.tsx';
import { useFrame } from '../frame.tsx';
import { addressWith, Bulk, Empty, Foot, optionsOf, pageIn } from '../list.tsx';
import { listFile } from '../list-columns.ts';
import { isFiltered, orderIn, removedIn } from '../list-query.ts';
import { remembered } from '../remembered.ts';
import { Table } from '../table.tsx';
import type { Shown, Visit } from '../visit.ts';
import { columnsIn } from './columns.tsx';
import { filterIn } from './filters.ts';
import { MatterFilters, type Offered } from './list-filters.tsx';
import { MattersHead } from './list-head.tsx';

/** The firm's matters as a list: filtered, sorted, with chosen columns, one page at a time. */
export const showList = async (visit: Visit): Promise<Shown> => {
  const { actor, query, session, may } = visit;
  const filter = filterIn(query, session.member.id);
  const part = pageIn(query);
  const [choices, overview] = await Promise.all([
    matterChoicesOf(actor),
    readMatterOverview(actor, filter, orderIn(query, matterSorts), part),
  ]);
  const offered = offeredIn(query, choices);
  const { rows, total, countOf, isMore, hasNext } = overview;
  const table = <Lines rows={rows} mayWrite={may('matters:write')} />;
  return {
    title: 'Matters',
    follows: ['matter', 'stage', 'practice_area', 'saved_view'],
    main: (
      <>
        <MattersHead
          countOf={countOf}
          status={filter.status === 'CURRENT' ? null : filter.status}
          isBoard={false}
        />
        <MatterFilters
          offered={offered}
          views={choices.views}
          mayExport={may('data:export')}
          memberId={session.member.id}
          isOwner={session.isOwner}
        />
        {rows.length === 0 ? (
          <Empty text={isFiltered(query) ? 'No matter matches.' : 'There are no matters here yet.'}>
            {isFiltered(query) && (
              <a class="button" href="/matters?view=list">
                Show all active matters
              </a>
            )}
          </Empty>
        ) : may('matters:write') ? (
          <Bulk action={`/matters?${query}`} buttons={<BulkButtons offered={offered} />}>
            {table}
          </Bulk>
        ) : (
          table
        )}
        {total > 0 && (
          <Foot part={part} total={total} shown={rows.length} isMore={isMore} hasNext={hasNext} />
        )}
      </>
    ),
  };
};

/** The choices of the list's filters and menus. */
const offeredIn = (query: URLSearchParams, { areas, members, fields }: MatterChoices): Offered => {
  const area = areas.find(({ id }) => id === query.get('area'));
  return {
    areas: optionsOf(areas),
    stages: optionsOf(area?.stages ?? []),
    types: optionsOf(area?.types ?? []),
    members: optionsOf(members),
    removed: removedIn(query, fields),
    fields: fields.filter(({ type }) => type === 'SELECT' || type === 'DATE'),
  };
};

const Lines = ({ rows, mayWrite }: { rows: MatterLine[]; mayWrite: boolean }) => {
  const { visit } = useFrame();
  const pick = ({ id, title }: MatterLine) => ({ id, name: title });
  return (
    <Table
      caption="Matters"
      columns={columnsIn(visit.query)}
      rows={rows}
      {...(mayWrite && { pick })}
      isLong
    />
  );
};

/** The buttons for ticked matters. Stages are those of the area that the list is filtered by. */
const BulkButtons = remembered(({ offered: { stages, members } }: { offered: Offered }) => (
  <>
    {stages.length > 0 && <Choose id="all-move" label="Move" title="Move to" options={stages} />}
    <Choose id="all-add" label="Add to the team" title="As responsible staff" options={members} />
    <button class="button" name="do" value="all-status:ARCHIVE">
      Archive
    </button>
    <button class="button" name="do" value="all-status:ACTIVE">
      Make active
    </button>
  </>
));

/** How many matters are written into one file. */
const maxExported = 100_000;

export const exportList = async (visit: Visit): Promise<Response> => {
  const { actor, query, session } = visit;
  const { rows } = await readMatterOverview(
    actor,
    filterIn(query, session.member.id),
    orderIn(query, matterSorts),
    { limit: maxExported, offset: 0 },
  );
  const address = addressWith('/matters', query, { page: null });
  await recordExport(actor, { what: 'matters', address, rows: rows.length });
  return listFile('matters', columnsIn(query), rows, session.timeZone);
};
