import { readMatterOverview } from '../../matters/overview.ts';
import { matterChoicesOf } from '../../views/choices.ts';
import { chosenNames, type Several } from '../bulk.tsx';
import { filterIn } from './fields.tsx';

const byAge = { by: 'created', isDown: false } as const;

export const severalMatters: Several = {
  noun: 'matter',
  found: ({ actor, query, session }, max) =>
    readMatterOverview(actor, filterIn(query, session.member.id), byAge, { limit: max, offset: 0 }),
  acts: {
    move: {
      title: 'Move',
      said: async (reader, many, { choice }) => {
        const stages = (await matterChoicesOf(reader)).areas.flatMap((area) => area.stages);
        return `Moved ${many} to ${stages.find(({ id }) => id === choice)?.name ?? 'a stage'}.`;
      },
    },
    assign: {
      title: 'Assign',
      said: async (reader, many, act) => {
        const names = chosenNames((await matterChoicesOf(reader)).members, act);
        if (!names) return `Nobody is responsible staff of ${many} now.`;
        return act.choice === 'replace'
          ? `Responsible staff of ${many}: ${names}, and nobody else.`
          : `Added ${names} to the responsible staff of ${many}.`;
      },
    },
    status: {
      title: 'Change the status of',
      said: (_, many, { choice }) =>
        choice === 'ARCHIVE' ? `Archived ${many}.` : `Made ${many} active.`,
    },
  },
};
