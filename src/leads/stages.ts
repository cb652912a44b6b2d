import { asc, eq, sql } from 'drizzle-orm';
import { notFoundField } from '../base/refusal.ts';
import { query, statement } from '../postgres/statement.ts';
import type { Reader } from '../record/actor.ts';
import { leadStage } from './table.ts';

const stages = statement(() =>
  query
    .select()
    .from(leadStage)
    .where(eq(leadStage.firmId, sql.placeholder('firmId')))
    .orderBy(asc(leadStage.position)),
);

/** The stages of the firm's intake pipeline, in order. */
export const listLeadStages = (reader: Reader) => reader.run(stages, { firmId: reader.firmId });

/** The stage among the firm's that a lead is to sit in. Throws `Refusal` not_found, naming the field. */
export const stageAmong = <Stage extends { id: string }>(all: Stage[], id: string): Stage => {
  const found = all.find((stage) => stage.id === id);
  if (!found) throw notFoundField('leadStageColumnId', 'is not the id of a lead stage of the firm');
  return found;
};
