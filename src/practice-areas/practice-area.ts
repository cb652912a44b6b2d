import { sql } from 'drizzle-orm';
import { newId } from '../base/columns.ts';
import { invalid, notFound, notFoundField, Refusal } from '../base/refusal.ts';
import { isNotTheIdOf } from '../base/rule.ts';
import { matter } from '../matters/table.ts';
import { type Given, statement } from '../postgres/statement.ts';
import { type Acting, type Write, write } from '../record/write.ts';
import { allocate, countRemoved } from '../register/register.ts';
import { areaForChange, stagesOf } from './list.ts';
import { practiceArea, stage } from './table.ts';
import { viewPracticeAreaFull } from './view.ts';
import type { NewPracticeArea, PracticeAreaChange } from './wire.ts';

/** Makes a practice area with its stages in the order sent. */
export const createPracticeArea = (actor: Acting, body: NewPracticeArea) =>
  write(actor, async (w) => {
    const { area, stages } = await addPracticeArea(w, body);
    return viewPracticeAreaFull(area, stages);
  });

const addPracticeArea = async (w: Write, { name, stages = [] }: NewPracticeArea) => {
  const { ordinal, at } = await allocate(w, practiceArea);
  const area = {
    firmId: w.firmId,
    id: newId(),
    ordinal,
    name: name.trim(),
    expectsLimitationDate: false,
    createdAt: at,
    updatedAt: at,
    deletedAt: null,
  };
  w.create(practiceArea, area);
  return {
    area,
    stages: stages.map((stage, position) => addStage(w, area.id, stage.name, position, at)),
  };
};

/** Stores a new stage of a practice area's board inside a write. */
const addStage = (w: Write, practiceAreaId: string, name: string, position: number, at: Date) => {
  const made = {
    firmId: w.firmId,
    id: newId(),
    practiceAreaId,
    name: name.trim(),
    position,
    createdAt: at,
    deletedAt: null,
  };
  w.create(stage, made);
  return made;
};

/**
 * Changes the name, and the stages as a whole list. Throws `Refusal` not_found for it or an unknown
 * stage.
 */
export const updatePracticeArea = (actor: Acting, id: string, body: PracticeAreaChange) =>
  write(actor, async (w) => {
    const ids = { firmId: w.firmId, id };
    const [stored, stages, now] = await Promise.all([
      w.first(areaForChange, ids),
      w.run(stagesOf, ids),
      w.now(),
    ]);
    if (!stored) throw notFound();
    const named = { ...stored, name: body.name?.trim() ?? stored.name };
    const kept = body.stages
      ? replaceStages(w, id, stages, body.stages, now)
      : { stages, changed: false };
    // References come first: an unknown stage is 404, also if something else is missing.
    if (body.stages) await refuseHeldStages(w, stages, body.stages);
    const changed = named.name !== stored.name || kept.changed;
    if (!changed) return viewPracticeAreaFull(stored, stages);
    const updated = { ...named, updatedAt: now };
    w.update(practiceArea, stored, { name: updated.name, updatedAt: now });
    if (named.name === stored.name) void w.run(touchArea, { ...ids, updatedAt: now });
    return viewPracticeAreaFull(updated, kept.stages);
  });

type Stage = typeof stage.$inferSelect;

/** A stage that still holds matters cannot be left out (docs/contract.md, Records). */
const refuseHeldStages = async (w: Write, stored: Stage[], wanted: { id?: string }[]) => {
  const stays = new Set(wanted.map(({ id }) => id));
  const dropped = stored.filter(({ id }) => !stays.has(id)).map(({ id }) => id);
  if (dropped.length === 0) return;
  const held = await w.first(stageWithMatters, { firmId: w.firmId, ids: dropped });
  if (!held) return;
  const { name } = stored.find(({ id }) => id === held.stageId) ?? {};
  throw new Refusal(
    'conflict',
    `The stage ${JSON.stringify(name)} still holds matters. Move them to another stage first.`,
  );
};

const stageWithMatters = statement(
  ({ firmId, ids }: Given<{ firmId: string; ids: string[] }>) => sql<{ stageId: string }>`
    select ${matter.stageId} as "stageId" from ${matter}
    where ${matter.firmId} = ${firmId} and ${matter.stageId} = any(${ids}::uuid[])
      and ${matter.deletedAt} is null limit 1`,
);

const replaceStages = (
  w: Write,
  practiceAreaId: string,
  stored: Stage[],
  wanted: { id?: string; name: string }[],
  now: Date,
) => {
  const left = new Map(stored.map((one) => [one.id, one]));
  let changed = false;
  const stages = wanted.map(({ id, name }, position) => {
    if (id === undefined) {
      changed = true;
      return addStage(w, practiceAreaId, name, position, now);
    }
    const kept = left.get(id);
    if (!kept) {
      throw stored.some((one) => one.id === id)
        ? invalid(`stages[${position}].id repeats a stage from earlier in the list.`)
        : notFoundField(
            `stages[${position}].id`,
            isNotTheIdOf('a stage of this practice area'),
            'GET /v1/practice-areas/{id}',
          );
    }
    left.delete(id);
    const fields = { name: name.trim(), position };
    changed = w.update(stage, kept, fields) || changed;
    return { ...kept, ...fields };
  });
  for (const dropped of left.values()) w.remove(stage, dropped, now);
  return { stages, changed: changed || left.size > 0 };
};

/** Sets whether matters of this area should have a limitation date. Throws `Refusal` not_found. */
export const expectLimitationDate = (actor: Acting, id: string, isExpected: boolean) =>
  write(actor, async (w) => {
    const [stored, now] = await Promise.all([
      w.first(areaForChange, { firmId: w.firmId, id }),
      w.now(),
    ]);
    if (!stored) throw notFound();
    if (stored.expectsLimitationDate === isExpected) return;
    w.update(practiceArea, stored, { expectsLimitationDate: isExpected, updatedAt: now });
  });

/** Takes a practice area out of the lists. Records that refer to it keep it. */
export const removePracticeArea = (actor: Acting, id: string) =>
  write(actor, async (w) => {
    const [stored, now] = await Promise.all([
      w.first(areaForChange, { firmId: w.firmId, id }),
      w.now(),
    ]);
    if (!stored) throw notFound();
    countRemoved(w, practiceArea, stored.ordinal);
    w.remove(practiceArea, stored, now);
  });

const touchArea = statement(
  ({ firmId, id, updatedAt }: Given<{ firmId: string; id: string; updatedAt: Date }>) => sql`
    update practice_area set updated_at = ${updatedAt} where firm_id = ${firmId} and id = ${id}`,
);
