import { isId } from '../../base/columns.ts';
import { invalid, notFound, Refusal } from '../../base/refusal.ts';
import { assigneesOf, assignLead } from '../../leads/assignees.ts';
import { updateLead } from '../../leads/lead.ts';
import { readLead } from '../../leads/list.ts';
import { declineLead, setLeadStatus } from '../../leads/status.ts';
import type { Actor } from '../../record/actor.ts';
import type { Fields } from '../fields.ts';

/** How many leads are changed at once. */
const mostAtOnce = 200;

type Change = (actor: Actor, id: string) => Promise<unknown>;

/**
 * What can be done with several leads, by the first word of a button's `do`. The rest of `do` is
 * the choice.
 */
const changes: Record<string, (choice: string) => Change> = {
  'all-move': (stageId) => (actor, id) => updateLead(actor, id, { leadStageColumnId: stageId }),
  'all-assign': (memberId) => async (actor, id) => {
    await readLead(actor, id);
    const now = memberId === 'none' ? [] : await assigneesOf(actor, id);
    const wanted = memberId === 'none' ? [] : [...now.map((one) => one.id), memberId];
    return assignLead(actor, id, wanted);
  },
  'all-status': (status) => (actor, id) =>
    setLeadStatus(actor, id, status === 'ARCHIVE' ? 'ARCHIVE' : 'ACTIVE'),
  'all-not-hired': (reasonId) => (actor, id) => declineLead(actor, id, { reasonId }),
};

/** Whether a form is about several leads. */
export const isForSeveral = (fields: Fields) => (fields.raw('do') ?? '').startsWith('all-');

/**
 * Does the same with each ticked lead, through its own verb. If some are refused, the others are
 * still done. Then it throws `Refusal` conflict with the number of changed leads and the reasons.
 */
export const changeSeveral = async (actor: Actor, fields: Fields): Promise<void> => {
  const [, word = '', choice = ''] = /^([a-z-]+):(.+)$/.exec(fields.raw('do') ?? '') ?? [];
  const change = changes[word]?.(choice);
  const ids = [...new Set(fields.all('id'))];
  if (!change) throw invalid('The form did not say what to do. Reload the page.');
  if (ids.length === 0) throw invalid('Tick the leads first.');
  if (ids.length > mostAtOnce) throw invalid(`At most ${mostAtOnce} leads are changed at once.`);
  const refused = new Map<string, string[]>();
  for (const id of ids) {
    const why = await tryOn(actor, id, change);
    if (why) refused.set(why.sentence, [...(refused.get(why.sentence) ?? []), why.number]);
  }
  const count = [...refused.values()].flat().length;
  if (count === 0) return;
  const reasons = [...refused].map(([sentence, numbers]) => `${numbers.join(', ')}: ${sentence}`);
  throw new Refusal(
    'conflict',
    `${ids.length - count} of ${ids.length} leads were changed. Not changed: ${reasons.join(' ')}`,
  );
};

const tryOn = async (actor: Actor, id: string, change: Change) => {
  try {
    if (!isId(id)) throw notFound();
    await change(actor, id);
    return undefined;
  } catch (error) {
    if (!(error instanceof Refusal) || error.code === 'unavailable') throw error;
    const lead = isId(id) ? await readLead(actor, id).catch(() => undefined) : undefined;
    if (!lead) return { number: 'one', sentence: 'No lead of yours has this id.' };
    return { number: lead.publicId, sentence: error.message };
  }
};
