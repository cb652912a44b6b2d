import { readOverview } from '../../leads/overview.ts';
import { leadChoicesOf } from '../../views/choices.ts';
import { chosenNames, nameIn, type Several } from '../bulk.tsx';
import { filterIn } from './fields.tsx';

const byAge = { by: 'created', isDown: false } as const;

export const severalLeads: Several = {
  noun: 'lead',
  found: ({ actor, query, session }, max) =>
    readOverview(actor, filterIn(query, session.member.id), byAge, { limit: max, offset: 0 }),
  acts: {
    move: {
      title: 'Move',
      said: async (reader, many, { choice }) => {
        const { leadStages } = await leadChoicesOf(reader);
        return `Moved ${many} to ${nameIn(leadStages, choice)}.`;
      },
    },
    assign: {
      title: 'Assign',
      said: async (reader, many, act) => {
        const names = chosenNames((await leadChoicesOf(reader)).members, act);
        if (!names) return `Nobody is assigned to ${many} now.`;
        return act.choice === 'replace'
          ? `Assigned ${many} to ${names}, and to nobody else.`
          : `Assigned ${many} to ${names}.`;
      },
    },
    status: {
      title: 'Change the status of',
      said: (_, many, { choice }) =>
        choice === 'ARCHIVE' ? `Archived ${many}.` : `Made ${many} active.`,
    },
    'not-hired': {
      title: 'Not hired:',
      said: async (reader, many, { choice }) => {
        const { notHiredReasons } = await leadChoicesOf(reader);
        return `Not hired: ${many}. ${nameIn(notHiredReasons, choice)}.`;
      },
    },
  },
};
