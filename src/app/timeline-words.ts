import type { IconName } from './icon.tsx';
import { contactTold, leadTold } from './leads/told.ts';
import { eventTold, matterTold, taskTold } from './matters/told.ts';
import type { Entry, Named, Sentence } from './timeline-said.ts';

/** The words of a line: sentences without their subject, and the icon before them. */
type Told = { icon: IconName; sentences: string[] };

const tellers: Record<string, (entry: Entry, named: Named) => Sentence[]> = {
  contact: contactTold,
  lead: leadTold,
  matter: matterTold,
  task: taskTold,
  calendar_event: eventTold,
};

const opened = ['lead', 'matter'];

/** Words for one line of a timeline: `moved it from New to Contacted`. */
export const toldOf = (entries: readonly Entry[], named: Named): Told => {
  const told = entries.flatMap((entry) => tellers[entry.recordKind]?.(entry, named) ?? []);
  const isMade = entries.some(
    ({ action, recordKind }) => action === 'create' && opened.includes(recordKind),
  );
  const shown = isMade ? told.filter(({ isFirst }) => isFirst) : told;
  return {
    icon: shown[0]?.icon ?? 'pencil',
    sentences: [...new Set(shown.map(({ words }) => words))],
  };
};
