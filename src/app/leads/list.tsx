/** @jsxImportSource preact */
import { recordExport } from '../../firm/exported.ts';
import { type LeadLine, leadSorts, readOverview } from '../../leads/overview.ts';
import { type LeadChoices, leadChoicesOf } from '../../views/choices.ts';
import { Choose } from '../bulk.tsx';
import { useFrame } from '../frame.tsx';
import { addressWith, Bulk, Empty, Foot, optionsOf, pageIn } from '../list.tsx';
import { listFile } from '../list-columns.ts';
import { isFiltered, orderIn } from '../list-query.ts';
import { remembered } from '../remembered.ts';
import { Table } from '../table.tsx';
import type { Shown, Visit } from '../visit.ts';
import { columnsIn, filterIn, LeadFilters } from './fields.tsx';
import { LeadsHead } from './head.tsx';
import { noContact } from './words.tsx';

/** The firm's leads as a list: filtered, sorted, with chosen columns, one page at a time. */
export const showList = async (visit: Visit): Promise<Shown> => {
  const { actor, query, session, may } = visit;
  const filter = filterIn(query, session.member.id);
  const part = pageIn(query);
  const [choices, overview] = await Promise.all([
    leadChoicesOf(actor),
    readOverview(actor, filter, orderIn(query, leadSorts), part),
  ]);
  const { rows, total, countOf } = overview;
  const table = <Lines rows={rows} mayWrite={may('leads:write')} />;
  return {
    title: 'Leads',
    follows: ['lead', 'lead_stage', 'saved_view'],
    main: (
      <>
        <LeadsHead countOf={countOf} status={filter.status} isBoard={false} />
        <LeadFilters
          choices={choices}
          mayExport={may('data:export')}
          memberId={session.member.id}
          isOwner={session.isOwner}
        />
        {rows.length === 0 ? (
          <Empty text={isFiltered(query) ? 'No lead matches.' : 'There are no leads here yet.'}>
            {isFiltered(query) && (
              <a class="button" href="/leads?view=list">
                Show all active leads
              </a>
            )}
          </Empty>
        ) : may('leads:write') ? (
          <Bulk action={`/leads?${query}`} buttons={<BulkButtons choices={choices} />}>
            {table}
          </Bulk>
        ) : (
          table
        )}
        {total > 0 && <Foot part={part} total={total} shown={rows.length} />}
      </>
    ),
  };
};

const Lines = ({ rows, mayWrite }: { rows: LeadLine[]; mayWrite: boolean }) => {
  const { visit } = useFrame();
  const pick = ({ id, contactName }: LeadLine) => ({ id, name: contactName ?? noContact });
  return (
    <Table
      caption="Leads"
      columns={columnsIn(visit.query)}
      rows={rows}
      {...(mayWrite && { pick })}
      isLong
    />
  );
};

const BulkButtons = remembered(({ choices }: { choices: LeadChoices }) => (
  <>
    <Choose id="all-move" label="Move" title="Move to" options={optionsOf(choices.leadStages)} />
    <Choose
      id="all-assign"
      label="Assign"
      title="Assign to"
      options={[...optionsOf(choices.members), { value: 'none', name: 'Nobody' }]}
    />
    {choices.notHiredReasons.length > 0 && (
      <Choose
        id="all-not-hired"
        label="Not hired"
        title="Why"
        options={optionsOf(choices.notHiredReasons)}
      />
    )}
    <button class="button" name="do" value="all-status:ARCHIVE">
      Archive
    </button>
  </>
));

/** How many leads are written into one file. */
const maxExported = 100_000;

export const exportList = async (visit: Visit): Promise<Response> => {
  const { actor, query, session } = visit;
  const filter = filterIn(query, session.member.id);
  const file = { limit: maxExported, offset: 0 };
  const { rows } = await readOverview(actor, filter, orderIn(query, leadSorts), file);
  const address = addressWith('/leads', query, { page: null });
  await recordExport(actor, { what: 'leads', address, rows: rows.length });
  return listFile('leads', columnsIn(query), rows, session.timeZone);
};
