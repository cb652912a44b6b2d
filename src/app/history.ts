import { takesBack } from '../record/taken-back.ts';
import type { Entry, HistoryContext, Sentence, WordedFields } from './history-words.ts';
import type { IconName } from './icon.tsx';
import { contactHistory, describeContact, describeLead, leadHistory } from './leads/history.ts';
import {
  describeEvent,
  describeMatter,
  describeReceipt,
  describeRuledDate,
  describeSeries,
  describeTask,
  matterHistory,
} from './matters/history.ts';
import { ruleHistory } from './repeats.tsx';
import { taskHistory } from './tasks/fields.ts';

/** What the history says of a kind of record. */
type KindOfRecord = {
  label: string;
  /** Where its records have their pages. */
  pages?: string;
  fields?: WordedFields;
  /** What became of one that is stored no longer, if it was not deleted in people's words. */
  gone?: string;
  /** A change as sentences, in the timeline and in the audit log. */
  describe?(entry: Entry, context: HistoryContext): Sentence[];
};

/** Every kind of record, by its name in audit entries, in the order of the log's filter. */
export const kindsOfRecord: Readonly<Record<string, KindOfRecord>> = {
  lead: { label: 'lead', pages: '/leads', fields: leadHistory, describe: describeLead },
  contact: {
    label: 'contact',
    pages: '/contacts',
    fields: contactHistory,
    describe: describeContact,
  },
  matter: { label: 'matter', pages: '/matters', fields: matterHistory, describe: describeMatter },
  note: { label: 'note' },
  task: { label: 'task', fields: taskHistory, describe: describeTask },
  calendar_event: { label: 'event', describe: describeEvent },
  event_series: {
    label: 'repeated event',
    fields: { rrule: ruleHistory },
    describe: describeSeries,
  },
  receipt: { label: 'receipt of a date', describe: describeReceipt },
  task_list: { label: 'task list', pages: '/settings/task-lists' },
  task_list_line: { label: 'task of a list' },
  practice_area: { label: 'practice area', pages: '/settings/practice-areas' },
  stage: { label: 'stage' },
  matter_type: { label: 'matter type' },
  lead_stage: { label: 'lead stage' },
  not_hired_reason: { label: 'reason' },
  event_kind: { label: 'event kind', pages: '/settings/event-kinds' },
  custom_field: { label: 'custom field', pages: '/settings/fields' },
  member: { label: 'member', pages: '/settings/members' },
  role: { label: 'role' },
  api_key: { label: 'API key' },
  webhook_endpoint: { label: 'webhook' },
  session: { label: 'sign-in' },
  sign_in_link: { label: 'invitation or reset link' },
  passkey: { label: 'passkey' },
  authenticator: { label: 'one-time codes' },
  saved_view: { label: 'saved view' },
  data_import: { label: 'import' },
  bulk_change: { label: 'change of several records' },
  contact_merge: { label: 'merge of contacts' },
  calendar_feed: { label: 'calendar feed link' },
  firm: { label: 'firm' },
  holiday: { label: 'holiday' },
  ruled_date: {
    label: 'date by a rule',
    gone: 'left a date by a rule where it was',
    describe: describeRuledDate,
  },
  date_rule: { label: 'date rule', pages: '/settings/date-rules' },
  mail_account: { label: 'mail server' },
};

/** What a kind of record is called. */
export const kindName = (kind: string): string =>
  kindsOfRecord[kind]?.label ?? kind.replaceAll('_', ' ');

/** The words of a line: sentences without their subject, and the icon before them. */
type Described = { icon: IconName; sentences: string[] };

/** Of a line that makes one of these, the other changes are parts. */
const wholes = ['lead', 'matter'];

/** Words for what one request changed: `moved the lead from New to Contacted`. */
export const describeChange = (entries: readonly Entry[], context: HistoryContext): Described => {
  const described = entries.flatMap((entry, at) =>
    isUndo(entry, entries.slice(0, at)) ? undid : describeEntry(entry, context),
  );
  const isMade = entries.some(
    ({ action, recordKind }) => action === 'create' && wholes.includes(recordKind),
  );
  const shown = isMade ? described.filter(({ isFirst }) => isFirst) : described;
  return {
    icon: shown[0]?.icon ?? 'pencil',
    sentences: [...new Set(shown.map(({ words }) => words))],
  };
};

const undid: Sentence = { icon: 'undo-2', words: 'undid it' };

/** An Undo of what was done to several records belongs to the request that it takes back. */
const isUndo = ({ action, recordId, changes }: Entry, before: readonly Entry[]) => {
  const last = before.findLast((one) => one.recordId === recordId);
  const isTold = Object.keys(changes).length > 0;
  return (
    action === 'update' && last?.action === action && isTold && takesBack(changes, last.changes)
  );
};

const describeEntry = (entry: Entry, context: HistoryContext): Sentence[] => {
  const { action, recordKind, changes } = entry;
  const { label, describe, gone } = kindsOfRecord[recordKind] ?? {};
  if (!describe) return [];
  if (action === 'delete') {
    return [
      gone ? { icon: 'calendar', words: gone } : { icon: 'trash-2', words: `deleted the ${label}` },
    ];
  }
  if ('deletedAt' in changes) {
    const loss =
      'externalId' in changes ? ', without its external id: another one has that now' : '';
    return [{ icon: 'undo-2', words: `restored the ${label}${loss}` }];
  }
  const sentences = describe(entry, context);
  const isTold = sentences.length > 0 || !wholes.includes(recordKind);
  return isTold ? sentences : [{ icon: 'pencil', words: `changed the ${label}` }];
};
