import { invalid } from '../../base/refusal.ts';
import { updateMatter } from '../../matters/matter.ts';
import { matterRecord } from '../../matters/record.ts';
import { matterChange } from '../../matters/wire.ts';
import type { Reader } from '../../record/actor.ts';
import { changeSeveral, isForSeveral } from '../bulk.tsx';
import { checked, type Fields } from '../fields.ts';
import { addressWith } from '../list.tsx';
import { form, type GoTo, type Page, page, type Visit } from '../visit.ts';
import { matterAct, showBoard, stageField } from './board.tsx';
import { severalMatters } from './bulk.ts';
import { listForms, showList } from './list.tsx';

/** The board, or the list if the address asks for it or for something that no board shows. */
const showMatters = (visit: Visit) => {
  const { query } = visit;
  const isBoard = query.get('view') !== 'list' && (query.get('status') ?? 'ACTIVE') === 'ACTIVE';
  return isBoard ? showBoard(visit) : showList(visit);
};

/** The forms of board and list. After a change they show the same page again. */
const changeMatters = async (visit: Visit, fields: Fields): Promise<GoTo> => {
  const { query } = visit;
  const path = addressWith('/matters', query, {});
  if (isForSeveral(fields)) return changeSeveral(visit, path, fields, severalMatters);
  await moveMatter(visit, fields);
  return path;
};

/** Moves a matter to a stage. */
const moveMatter = async ({ actor }: Visit, fields: Fields) => {
  const act = matterAct(fields.raw('do'));
  if (!act) throw invalid('The form did not say what to do. Reload the page.');
  const body = checked(matterChange, { practiceAreaStageColumnId: fields.text(stageField) });
  await updateMatter(actor, act.id, body);
};

/** The stage of the matter that a form moves, now. */
const stageNow = async (reader: Reader, _: Visit, fields: Fields) => {
  const act = matterAct(fields.raw('do'));
  if (!act) return {};
  return { [stageField]: (await matterRecord(reader, act.id)).stage?.id ?? '' };
};

const mattersPage = page('/matters', 'matters:read', showMatters);
/** What is refused on the list is shown on the list, whatever its address asks for. */
const listPage = page('/matters', 'matters:read', showList);

export const matterPages: Page[] = [
  mattersPage,
  form('/matters', 'matters:write', changeMatters, mattersPage, { guard: stageNow }),
  ...listForms(listPage),
];
