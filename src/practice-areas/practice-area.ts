import { and, asc, desc, eq, isNull, lt, sql } from 'drizzle-orm';
import { isId, newId } from '../base/columns.ts';
import { invalid, notFound, Refusal } from '../base/refusal.ts';
import { query, statement } from '../postgres/statement.ts';
import type { Actor, Reader } from '../record/actor.ts';
import type { Page } from '../record/page.ts';
import { placeOf } from '../record/position.ts';
import { countOf, enter, strike } from '../record/register.ts';
import { type Write, write } from '../record/write.ts';
import { practiceArea, stage } from './table.ts';
import { viewPracticeArea, viewPracticeAreaFull } from './view.ts';
import type { NewPracticeArea, PracticeAreaChange } from './wire.ts';

/** Makes a practice area with its stages in the order sent. */
export const createPracticeArea = (actor: Actor, body: NewPracticeArea) =>
  write(actor, async (w) => {
    const { area, stages } = await addPracticeArea(w, body);
    return viewPracticeAreaFull(area, stages);
  });

/** Stores a new practice area inside a write. */
export const addPracticeArea = async (w: Write, { name, stages = [] }: NewPracticeArea) => {
  const { ordinal, at } = await enter(w, 'practice_area');
  const area = {
    ...{ firmId: w.firmId, id: newId(), ordinal, name: name.trim() },
    ...{ createdAt: at, updatedAt: at, deletedAt: null },
  };
  w.create(practiceArea, area);
  return {
    area,
    stages: stages.map((stage, position) => addStage(w, area.id, stage.name, position, at)),
  };
};

/** Stores a new stage of a practice area's board inside a write. */
export const addStage = (
  w: Write,
  practiceAreaId: string,
  name: string,
  position: number,
  at: Date,
) => {
  const made = {
    ...{ firmId: w.firmId, id: newId(), practiceAreaId, name: name.trim(), position },
    ...{ createdAt: at, deletedAt: null },
  };
  w.create(stage, made);
  return made;
};

/** Changes the name, and the stages as a whole list. Throws `Refusal` not_found for it or an unknown stage. */
export const updatePracticeArea = (actor: Actor, id: string, body: PracticeAreaChange) =>
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
    // What the list refers to goes first: an unknown stage is 404, whatever else is left out.
    if (body.stages) await refuseHeldStages(w, stages, body.stages);
    const changed = named.name !== stored.name || kept.changed;
    if (!changed) return viewPracticeAreaFull(stored, stages);
    const updated = { ...named, updatedAt: now };
    w.update(practiceArea, stored, { name: updated.name, updatedAt: now });
    if (named.name === stored.name) void w.run(touchArea, { ...ids, updatedAt: now });
    return viewPracticeAreaFull(updated, kept.stages);
  });

type Stage = typeof stage.$inferSelect;

/** A stage that still holds matters cannot be left out (contract.md, Records). */
const refuseHeldStages = async (w: Write, stored: Stage[], wanted: { id?: string }[]) => {
  const stays = new Set(wanted.map(({ id }) => id));
  const dropped = stored.filter(({ id }) => !stays.has(id)).map(({ id }) => id);
  if (dropped.length === 0) return;
  const held = await w.first(stageWithMatters, { firmId: w.firmId, ids: `{${dropped.join()}}` });
  if (!held) return;
  const { name } = stored.find(({ id }) => id === held.stageId) ?? {};
  throw new Refusal(
    'conflict',
    `The stage ${JSON.stringify(name)} still holds matters. Move them to another stage first.`,
  );
};

// Matters stand above practice areas in the order of floors, so their table is named here by hand.
const stageWithMatters = statement(
  () => sql<{ stageId: string }>`
    select stage_id as "stageId" from matter
    where firm_id = ${sql.placeholder('firmId')} and stage_id = any(${sql.placeholder('ids')}::uuid[])
      and deleted_at is null limit 1`,
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
        ? invalid(`stages[${position}].id names a stage that stands earlier in the list.`)
        : notFound(`stages[${position}].id is not the id of a stage of this practice area.`);
    }
    left.delete(id);
    const fields = { name: name.trim(), position };
    changed = w.update(stage, kept, fields) || changed;
    return { ...kept, ...fields };
  });
  for (const dropped of left.values()) w.remove(stage, dropped, now);
  return { stages, changed: changed || left.size > 0 };
};

/** Takes a practice area out of the lists; what refers to it keeps it. */
export const removePracticeArea = (actor: Actor, id: string) =>
  write(actor, async (w) => {
    const [stored, now] = await Promise.all([
      w.first(areaForChange, { firmId: w.firmId, id }),
      w.now(),
    ]);
    if (!stored) throw notFound();
    strike(w, 'practice_area', stored.ordinal);
    w.remove(practiceArea, stored, now);
  });

/** One practice area with its stages. Throws `Refusal` not_found. */
export const readPracticeArea = async (reader: Reader, id: string) => {
  const ids = { firmId: reader.firmId, id };
  const [stored, stages] = await Promise.all([
    reader.first(areaById, ids),
    reader.run(stagesOf, ids),
  ]);
  if (!stored) throw notFound();
  return viewPracticeAreaFull(stored, stages);
};

/** A page of the firm's practice areas, newest first, without their stages. */
export const listPracticeAreas = async (reader: Reader, page: Page) => {
  const place = await placeOf(reader, 'practice_area', page);
  const [rows, { live }] = await Promise.all([
    reader.run(areaPage, { firmId: reader.firmId, ...place }),
    countOf(reader, 'practice_area'),
  ]);
  return { rows: rows.map(viewPracticeArea), total: live };
};

/** The practice area a record is to refer to. Throws `Refusal` not_found, naming the field. */
export const practiceAreaFor = async (reader: Reader, id: string, field: string) => {
  const found = isId(id) ? await reader.first(areaById, { firmId: reader.firmId, id }) : undefined;
  if (!found) throw notFound(`${field} is not the id of a practice area of the firm.`);
  return found;
};

/** The stages of a practice area's board, in order. */
export const stagesOfArea = (reader: Reader, practiceAreaId: string) =>
  reader.run(stagesOf, { firmId: reader.firmId, id: practiceAreaId });

/** Keeps a practice area's board as it is until the commit: no stage is taken from under a matter. */
export const holdBoard = (w: Write, practiceAreaId: string) =>
  w.first(areaHeld, { firmId: w.firmId, id: practiceAreaId });

/** A stage of any of the firm's practice areas. */
export const stageById = (reader: Reader, id: string) =>
  reader.first(oneStage, { firmId: reader.firmId, id });

const oneStage = statement(() =>
  query
    .select()
    .from(stage)
    .where(
      and(
        eq(stage.firmId, sql.placeholder('firmId')),
        eq(stage.id, sql.placeholder('id')),
        isNull(stage.deletedAt),
      ),
    ),
);

const isThisArea = and(
  eq(practiceArea.firmId, sql.placeholder('firmId')),
  eq(practiceArea.id, sql.placeholder('id')),
  isNull(practiceArea.deletedAt),
);

const areaById = statement(() => query.select().from(practiceArea).where(isThisArea));
const areaForChange = statement(() =>
  query.select().from(practiceArea).where(isThisArea).for('update'),
);

const areaHeld = statement(() =>
  query.select().from(practiceArea).where(isThisArea).for('key share'),
);

const touchArea = statement(() =>
  query
    .update(practiceArea)
    .set({ updatedAt: sql.placeholder('updatedAt') as never })
    .where(isThisArea),
);

const stagesOf = statement(() =>
  query
    .select()
    .from(stage)
    .where(
      and(
        eq(stage.firmId, sql.placeholder('firmId')),
        eq(stage.practiceAreaId, sql.placeholder('id')),
        isNull(stage.deletedAt),
      ),
    )
    .orderBy(asc(stage.position)),
);

const areaPage = statement(() =>
  query
    .select()
    .from(practiceArea)
    .where(
      and(
        eq(practiceArea.firmId, sql.placeholder('firmId')),
        isNull(practiceArea.deletedAt),
        lt(practiceArea.ordinal, sql.placeholder('below')),
      ),
    )
    .orderBy(desc(practiceArea.ordinal))
    .limit(sql.placeholder('limit'))
    .offset(sql.placeholder('offset')),
);

/** All practice areas of the firm with the stages of their boards, oldest first. */
export const allPracticeAreas = async (reader: Reader) => {
  const { firmId } = reader;
  const [areas, stages] = await Promise.all([
    reader.run(everyArea, { firmId }),
    reader.run(everyStage, { firmId }),
  ]);
  return areas.map((area) => ({
    ...area,
    stages: stages.filter((stage) => stage.practiceAreaId === area.id),
  }));
};

const everyArea = statement(() =>
  query
    .select()
    .from(practiceArea)
    .where(and(eq(practiceArea.firmId, sql.placeholder('firmId')), isNull(practiceArea.deletedAt)))
    .orderBy(asc(practiceArea.ordinal)),
);

const everyStage = statement(() =>
  query
    .select()
    .from(stage)
    .where(and(eq(stage.firmId, sql.placeholder('firmId')), isNull(stage.deletedAt)))
    .orderBy(asc(stage.position)),
);
