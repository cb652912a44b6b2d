/** @jsxImportSource preact */
import { form, type Page, page, type Visit } from '../visit.ts';
import { showBoard } from './board.tsx';
import { changeLeads, stageNow } from './changes.ts';
import { listForms, showList } from './list.tsx';

/**
 * The board, or the list if the address asks for it or for something that the board does not show.
 */
const showLeads = (visit: Visit) => {
  const { query } = visit;
  const isBoard = query.get('view') !== 'list' && (query.get('status') ?? 'ACTIVE') === 'ACTIVE';
  return isBoard ? showBoard(visit) : showList(visit);
};

const leadsPage = page('/leads', 'leads:read', showLeads);
/** What is refused on the list is shown on the list, whatever its address asks for. */
const listPage = page('/leads', 'leads:read', showList);

export const leadPages: Page[] = [
  leadsPage,
  form('/leads', 'leads:write', changeLeads, leadsPage, { guard: stageNow }),
  ...listForms(listPage),
];
