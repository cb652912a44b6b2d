/** @jsxImportSource preact */
import { dropView, keepView } from '../saved-views.tsx';
import { form, type Page, page, type Visit } from '../visit.ts';
import { showBoard } from './board.tsx';
import { changeLeads } from './changes.ts';
import { exportList, showList } from './list.tsx';

/**
 * The board, or the list if the address asks for it or for something that the board does not show.
 */
const showLeads = (visit: Visit) => {
  const { query } = visit;
  const isBoard = query.get('view') !== 'list' && (query.get('status') ?? 'ACTIVE') === 'ACTIVE';
  return isBoard ? showBoard(visit) : showList(visit);
};

export const leadPages: Page[] = [
  page('/leads', 'leads:read', showLeads),
  form('/leads', 'leads:write', changeLeads, showLeads),
  form('/leads/export', 'data:export', exportList, showList),
  form('/leads/views', 'leads:read', keepView('leads'), showList),
  form('/leads/views/:id/remove', 'leads:read', dropView('leads'), showList),
];
