import type { Entry, HistoryContext, Sentence } from './history-words.ts';
import type { IconName } from './icon.tsx';
import { describeContact, describeLead } from './leads/history.ts';
import { describeEvent, describeMatter, describeTask } from './matters/history.ts';

/** The words of a line: sentences without their subject, and the icon before them. */
type Described = { icon: IconName; sentences: string[] };

const describers: Record<string, (entry: Entry, context: HistoryContext) => Sentence[]> = {
  contact: describeContact,
  lead: describeLead,
  matter: describeMatter,
  task: describeTask,
  calendar_event: describeEvent,
};

const opened = ['lead', 'matter'];

/** Words for one line of a timeline: `moved it from New to Contacted`. */
export const describeChange = (entries: readonly Entry[], context: HistoryContext): Described => {
  const described = entries.flatMap(
    (entry) => describers[entry.recordKind]?.(entry, context) ?? [],
  );
  const isMade = entries.some(
    ({ action, recordKind }) => action === 'create' && opened.includes(recordKind),
  );
  const shown = isMade ? described.filter(({ isFirst }) => isFirst) : described;
  return {
    icon: shown[0]?.icon ?? 'pencil',
    sentences: [...new Set(shown.map(({ words }) => words))],
  };
};
