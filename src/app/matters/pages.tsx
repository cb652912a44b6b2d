/** @jsxImportSource preact */
import { dropView, keepView } from '../saved-views.tsx';
import { form, type Page, page, type Visit } from '../visit.ts';
import { showBoard } from './board.tsx';
import { changeMatters } from './changes.ts';
import { exportList, showList } from './list.tsx';

/** The board, or the list if the address asks for it or for something that no board shows. */
const showMatters = (visit: Visit) => {
  const { query } = visit;
  const isBoard = query.get('view') !== 'list' && (query.get('status') ?? 'ACTIVE') === 'ACTIVE';
  return isBoard ? showBoard(visit) : showList(visit);
};

export const matterPages: Page[] = [
  page('/matters', 'matters:read', showMatters),
  form('/matters', 'matters:write', changeMatters, showMatters),
  form('/matters/export', 'data:export', exportList, showList),
  form('/matters/views', 'matters:read', keepView('matters'), showList),
  form('/matters/views/:id/remove', 'matters:read', dropView('matters'), showList),
];
