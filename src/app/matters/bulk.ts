import type { Changes } from '../../audit/table.ts';
import { readMatter } from '../../matters/list.ts';
import { updateMatter } from '../../matters/matter.ts';
import { readMatterOverview } from '../../matters/overview.ts';
import { addStaff, changeTeam, replaceStaff } from '../../matters/team.ts';
import type { Actor } from '../../record/actor.ts';
import { isHeavy } from '../../record/page.ts';
import { matterChoicesOf } from '../../views/choices.ts';
import { chosenNames, type Several, tickedIn } from '../bulk.tsx';
import { statusIn } from '../said.ts';
import { filterIn } from './fields.tsx';

const byAge = { by: 'created', isDown: false } as const;

export const severalMatters: Several = {
  noun: 'matter',
  found: ({ actor, query, session }, max) =>
    readMatterOverview(actor, filterIn(query, session.member.id), byAge, { limit: max, offset: 0 }),
  numberOf: async (actor, id) => {
    const found = await readMatter(actor, id);
    return (isHeavy(found) ? await found() : found).publicId;
  },
  changes: {
    'all-move': {
      change: (stageId) => (actor, id) =>
        updateMatter(actor, id, { practiceAreaStageColumnId: stageId }),
      said: async (reader, many, stageId) => {
        const stages = (await matterChoicesOf(reader)).areas.flatMap((area) => area.stages);
        return `Moved ${many} to ${stages.find(({ id }) => id === stageId)?.name ?? 'a stage'}.`;
      },
    },
    'all-assign': {
      change: (how, fields) => {
        const memberIds = tickedIn(fields, how);
        const change = how === 'replace' ? replaceStaff : addStaff;
        return (actor, id) => change(actor, id, memberIds);
      },
      said: async (reader, many, how, fields) => {
        const names = chosenNames((await matterChoicesOf(reader)).members, fields);
        if (!names) return `Nobody is responsible staff of ${many} now.`;
        return how === 'replace'
          ? `Responsible staff of ${many}: ${names}, and nobody else.`
          : `Added ${names} to the responsible staff of ${many}.`;
      },
    },
    'all-status': {
      change: (text) => (actor, id) =>
        updateMatter(actor, id, { status: text === 'ARCHIVE' ? 'ARCHIVE' : 'ACTIVE' }),
      said: (_, many, text) => (text === 'ARCHIVE' ? `Archived ${many}.` : `Made ${many} active.`),
    },
  },
  takeBack: (actor, id, changes) => takeBackOf(actor, id, changes),
};

type TeamBefore = Parameters<typeof changeTeam>[2];

const takeBackOf = (actor: Actor, id: string, changes: Changes) => {
  if (changes.stageId) {
    const practiceAreaStageColumnId = changes.stageId.before as string;
    return updateMatter(actor, id, { practiceAreaStageColumnId });
  }
  if (changes.team) return changeTeam(actor, id, changes.team.before as TeamBefore);
  return updateMatter(actor, id, { status: statusIn(String(changes.status?.before)) ?? 'ACTIVE' });
};
