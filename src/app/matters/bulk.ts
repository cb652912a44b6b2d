import { readMatter } from '../../matters/list.ts';
import { updateMatter } from '../../matters/matter.ts';
import { addToTeam } from '../../matters/team.ts';
import { isHeavy } from '../../record/page.ts';
import type { Several } from '../bulk.tsx';

export const severalMatters: Several = {
  nouns: 'matters',
  numberOf: async (actor, id) => {
    const found = await readMatter(actor, id);
    return (isHeavy(found) ? await found() : found).publicId;
  },
  changes: {
    'all-move': (stageId) => (actor, id) =>
      updateMatter(actor, id, { practiceAreaStageColumnId: stageId }),
    'all-add': (memberId) => (actor, id) =>
      addToTeam(actor, id, { memberId, role: 'RESPONSIBLE_STAFF' }),
    'all-status': (status) => (actor, id) =>
      updateMatter(actor, id, { status: status === 'ARCHIVE' ? 'ARCHIVE' : 'ACTIVE' }),
  },
};
