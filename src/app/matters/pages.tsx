/** @jsxImportSource preact */
import { form, type Page, page, type Visit } from '../visit.ts';
import { showBoard } from './board.tsx';
import { changeMatters, stageNow } from './changes.ts';
import { listForms, showList } from './list.tsx';

/** The board, or the list if the address asks for it or for something that no board shows. */
const showMatters = (visit: Visit) => {
  const { query } = visit;
  const isBoard = query.get('view') !== 'list' && (query.get('status') ?? 'ACTIVE') === 'ACTIVE';
  return isBoard ? showBoard(visit) : showList(visit);
};

const mattersPage = page('/matters', 'matters:read', showMatters);
/** What is refused on the list is shown on the list, whatever its address asks for. */
const listPage = page('/matters', 'matters:read', showList);

export const matterPages: Page[] = [
  mattersPage,
  form('/matters', 'matters:write', changeMatters, mattersPage, { guard: stageNow }),
  ...listForms(listPage),
];
