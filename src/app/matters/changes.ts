import { invalid } from '../../base/refusal.ts';
import { updateMatter } from '../../matters/matter.ts';
import { matterRecord } from '../../matters/record.ts';
import { matterChange } from '../../matters/wire.ts';
import type { Reader } from '../../record/actor.ts';
import { changeSeveral, isForSeveral } from '../bulk.tsx';
import { checked, type Fields } from '../fields.ts';
import { addressWith } from '../list.tsx';
import type { GoTo, Visit } from '../visit.ts';
import { matterAct, stageField } from './board.tsx';
import { severalMatters } from './bulk.ts';

/** The forms of board and list. After a change they show the same page again. */
export const changeMatters = async (visit: Visit, fields: Fields): Promise<GoTo> => {
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
export const stageNow = async (reader: Reader, _: Visit, fields: Fields) => {
  const act = matterAct(fields.raw('do'));
  if (!act) return {};
  return { [stageField]: (await matterRecord(reader, act.id)).stage?.id ?? '' };
};
