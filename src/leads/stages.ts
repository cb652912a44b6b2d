import { sql } from 'drizzle-orm';
import { notFoundField, Refusal } from '../base/refusal.ts';
import { isNotTheIdOf } from '../base/rule.ts';
import { type Given, statement } from '../postgres/statement.ts';
import { orderedList } from '../record/ordered-list.ts';
import type { Write } from '../record/write.ts';
import { lead, leadStage } from './table.ts';

/**
 * The stages of the firm's intake. A new lead starts in the first. One that holds leads cannot be
 * removed; deleted leads keep it.
 */
export const leadStageList = orderedList(leadStage, 'lead stage', async (w, { id, name }) => {
  if (!(await w.first(leadInStage, { firmId: w.firmId, stageId: id }))) return;
  throw new Refusal(
    'conflict',
    `The stage ${JSON.stringify(name)} still holds leads. Move them to another stage first.`,
  );
});

/** The firm's stage that a lead is put in. Throws `Refusal` not_found, naming the field. */
export const stageAmong = <Stage extends { id: string }>(all: Stage[], id: string): Stage => {
  const found = all.find((stage) => stage.id === id);
  if (!found) throw noSuchStage();
  return found;
};

/**
 * Keeps a stage from being removed until the commit, for a lead that is put in it. Throws `Refusal`
 * not_found if it was removed in the meantime.
 */
export const holdLeadStage = async (w: Write, id: string) => {
  if (!(await leadStageList.hold(w, id))) throw noSuchStage();
};

const noSuchStage = () =>
  notFoundField(
    'leadStageColumnId',
    isNotTheIdOf('a lead stage of the firm'),
    'GET /v1/lead-stages',
  );

const leadInStage = statement(
  ({ firmId, stageId }: Given<'firmId' | 'stageId'>) => sql<object>`
    select from ${lead} where ${lead.firmId} = ${firmId} and ${lead.leadStageId} = ${stageId}
      and ${lead.deletedAt} is null limit 1`,
);
