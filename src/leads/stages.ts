import { and, asc, eq, isNull, sql } from 'drizzle-orm';
import { newId } from '../base/columns.ts';
import { invalidField, notFound, notFoundField, Refusal } from '../base/refusal.ts';
import { shortText } from '../base/short-text.ts';
import { type Given, query, statement } from '../postgres/statement.ts';
import type { Reader } from '../record/actor.ts';
import { refuseTaken } from '../record/taken.ts';
import { type Acting, type Write, write } from '../record/write.ts';
import { lead, leadStage } from './table.ts';

/** The stages of the firm's intake pipeline, in order. */
export const listLeadStages = (reader: Reader) => reader.run(stages, { firmId: reader.firmId });

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
  if (!(await w.first(stageKept, { firmId: w.firmId, id }))) throw noSuchStage();
};

const noSuchStage = () =>
  notFoundField(
    'leadStageColumnId',
    'is not the id of a lead stage of the firm',
    'GET /v1/lead-stages',
  );

/** Adds a stage after all others. Throws `Refusal` conflict for a name that another stage has. */
export const createLeadStage = (actor: Acting, wish: { name: string }) =>
  write(actor, async (w) => {
    const [standing, now] = await Promise.all([w.run(stagesHeld, { firmId: w.firmId }), w.now()]);
    const made = {
      firmId: w.firmId,
      id: newId(),
      name: shortText('name', wish.name),
      position: (standing.at(-1)?.position ?? -1) + 1,
      createdAt: now,
    };
    w.create(leadStage, made);
    return viewStage(made);
  }).catch(nameTaken);

/** Renames a stage. Throws `Refusal` not_found, and conflict for a name that another stage has. */
export const renameLeadStage = (actor: Acting, id: string, name: string) =>
  write(actor, async (w) => {
    const stored = await stageForChange(w, id);
    const renamed = { ...stored, name: shortText('name', name) };
    w.update(leadStage, stored, { name: renamed.name });
    return viewStage(renamed);
  }).catch(nameTaken);

/**
 * Puts the stages in the order of these ids. A new lead starts in the first. Throws `Refusal`
 * invalid_request unless every stage of the firm is named once, and nothing else.
 */
export const orderLeadStages = (actor: Acting, ids: string[]) =>
  write(actor, async (w) => {
    const standing = await w.run(stagesHeld, { firmId: w.firmId });
    const named = new Set(ids);
    if (
      named.size !== ids.length ||
      ids.length !== standing.length ||
      !standing.every(({ id }) => named.has(id))
    ) {
      throw invalidField('stages', 'must name every lead stage of the firm once');
    }
    for (const stored of standing) {
      w.update(leadStage, stored, { position: ids.indexOf(stored.id) });
    }
  });

/** Puts a stage one place up or down. Throws `Refusal` not_found; at either end nothing changes. */
export const shiftLeadStage = (actor: Acting, id: string, by: -1 | 1) =>
  write(actor, async (w) => {
    const standing = await w.run(stagesHeld, { firmId: w.firmId });
    const from = standing.findIndex((stage) => stage.id === id);
    const shifted = standing[from];
    if (!shifted) throw noStageHere();
    const moved = standing.toSpliced(from, 1).toSpliced(Math.max(0, from + by), 0, shifted);
    for (const [position, stage] of moved.entries()) w.update(leadStage, stage, { position });
  });

/**
 * Removes a stage. Deleted leads that were in it keep it. Throws `Refusal` not_found, and conflict
 * for a stage that still holds leads.
 */
export const removeLeadStage = (actor: Acting, id: string) =>
  write(actor, async (w) => {
    const stored = await stageForChange(w, id);
    if (await w.first(leadInStage, { firmId: w.firmId, stageId: id })) {
      throw new Refusal(
        'conflict',
        `The stage ${JSON.stringify(stored.name)} still holds leads. Move them to another stage first.`,
      );
    }
    w.remove(leadStage, stored, await w.now());
  });

const stageForChange = async (w: Write, id: string) => {
  const stored = await w.first(stageHeld, { firmId: w.firmId, id });
  if (!stored) throw noStageHere();
  return stored;
};

const noStageHere = () => notFound('The firm has no such lead stage.');

const nameTaken = refuseTaken('lead_stage_name', 'A lead stage of the firm has this name already.');

const viewStage = ({ id, name }: { id: string; name: string }) => ({ id, name });

const stagesInOrder = ({ firmId }: Given<'firmId'>) =>
  query
    .select()
    .from(leadStage)
    .where(and(eq(leadStage.firmId, firmId), isNull(leadStage.deletedAt)))
    .orderBy(asc(leadStage.position), asc(leadStage.id));

const stages = statement(stagesInOrder);
const stagesHeld = statement((given: Given<'firmId'>) => stagesInOrder(given).for('no key update'));

const stageWithId = ({ firmId, id }: Given<'firmId' | 'id'>) =>
  query
    .select()
    .from(leadStage)
    .where(and(eq(leadStage.firmId, firmId), eq(leadStage.id, id), isNull(leadStage.deletedAt)));

// Leads refer to a stage. A new lead and the stage's removal wait for each other.
const stageHeld = statement((given: Given<'firmId' | 'id'>) => stageWithId(given).for('update'));
const stageKept = statement((given: Given<'firmId' | 'id'>) => stageWithId(given).for('key share'));

const leadInStage = statement(
  ({ firmId, stageId }: Given<'firmId' | 'stageId'>) => sql<object>`
    select from ${lead} where ${lead.firmId} = ${firmId} and ${lead.leadStageId} = ${stageId}
      and ${lead.deletedAt} is null limit 1`,
);
