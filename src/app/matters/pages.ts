import { updateMatter } from '../../matters/matter.ts';
import { matterRecord } from '../../matters/record.ts';
import { matterChange } from '../../matters/wire.ts';
import { checked } from '../fields.ts';
import { boardAndList } from '../records/board-and-list.ts';
import { matterActs, showBoard, stageField } from './board.tsx';
import { severalMatters } from './bulk.ts';
import { listForms, showList } from './list.tsx';

export const matterPages = boardAndList({
  list: 'matters',
  showBoard,
  showList,
  listForms,
  several: severalMatters,
  kinds: matterActs,
  change: async ({ actor }, { id }, fields, again) => {
    const body = checked(matterChange, { [stageField]: fields.text(stageField) });
    await updateMatter(actor, id, body);
    return again;
  },
  now: async (reader, { id }) => ({
    [stageField]: (await matterRecord(reader, id)).stage?.id ?? '',
  }),
});
