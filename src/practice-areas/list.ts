import { and, asc, desc, eq, isNull } from 'drizzle-orm';
import { isId } from '../base/columns.ts';
import { notFound, notFoundField } from '../base/refusal.ts';
import { isNotTheIdOf } from '../base/rule.ts';
import { type Given, query, statement } from '../postgres/statement.ts';
import type { Reader } from '../record/actor.ts';
import type { Page } from '../record/page.ts';
import type { Write } from '../record/write.ts';
import { countOf } from '../register/register.ts';
import { practiceArea, stage } from './table.ts';
import { viewPracticeArea, viewPracticeAreaFull } from './view.ts';

/** One practice area with its stages. Throws `Refusal` not_found. */
export const readPracticeArea = async (reader: Reader, id: string) => {
  const { stages, ...stored } = await areaWithStages(reader, id);
  return viewPracticeAreaFull(stored, stages);
};

/** A page of the firm's practice areas, newest first, without their stages. */
export const listPracticeAreas = async (reader: Reader, page: Page) => {
  const [rows, { live }] = await Promise.all([
    reader.run(areaPage, { firmId: reader.firmId, ...page }),
    countOf(reader, practiceArea),
  ]);
  return { rows: rows.map(viewPracticeArea), total: live };
};

/** The practice area that a record will refer to. Throws `Refusal` not_found that names the field. */
export const practiceAreaFor = async (reader: Reader, id: string) => {
  const found = isId(id) ? await reader.first(areaById, { firmId: reader.firmId, id }) : undefined;
  if (!found) {
    const rule = isNotTheIdOf('a practice area of the firm');
    throw notFoundField('practiceAreaId', rule, 'GET /v1/practice-areas');
  }
  return found;
};

/** The stages of a practice area's board, in order. */
export const stagesOfArea = (reader: Reader, practiceAreaId: string) =>
  reader.run(stagesOf, { firmId: reader.firmId, id: practiceAreaId });

/**
 * Locks a practice area's board until the commit, so that no stage is removed from under a matter.
 */
export const holdBoard = (w: Write, practiceAreaId: string) =>
  w.first(areaHeld, { firmId: w.firmId, id: practiceAreaId });

export const stageById = (reader: Reader, id: string) =>
  reader.first(oneStage, { firmId: reader.firmId, id });

/** One practice area as it is stored, with its stages in order. Throws `Refusal` not_found. */
export const areaWithStages = async (reader: Reader, id: string) => {
  const ids = { firmId: reader.firmId, id };
  const [area, stages] = await Promise.all([
    reader.first(areaById, ids),
    reader.run(stagesOf, ids),
  ]);
  if (!area) throw notFound();
  return { ...area, stages };
};

const oneStage = statement(({ firmId, id }: Given<'firmId' | 'id'>) =>
  query
    .select()
    .from(stage)
    .where(and(eq(stage.firmId, firmId), eq(stage.id, id), isNull(stage.deletedAt))),
);

const isThisArea = ({ firmId, id }: Given<'firmId' | 'id'>) =>
  and(eq(practiceArea.firmId, firmId), eq(practiceArea.id, id), isNull(practiceArea.deletedAt));

const areaById = statement((given: Given<'firmId' | 'id'>) =>
  query.select().from(practiceArea).where(isThisArea(given)),
);
/** A practice area, locked against changes until the commit. */
export const areaForChange = statement((given: Given<'firmId' | 'id'>) =>
  query.select().from(practiceArea).where(isThisArea(given)).for('update'),
);

const areaHeld = statement((given: Given<'firmId' | 'id'>) =>
  query.select().from(practiceArea).where(isThisArea(given)).for('key share'),
);

/** The stages of the board of the practice area `:id`, in order. */
export const stagesOf = statement(({ firmId, id }: Given<'firmId' | 'id'>) =>
  query
    .select()
    .from(stage)
    .where(and(eq(stage.firmId, firmId), eq(stage.practiceAreaId, id), isNull(stage.deletedAt)))
    .orderBy(asc(stage.position)),
);

const areaPage = statement(({ firmId, limit, offset }: Given<{ firmId: string } & Page>) =>
  query
    .select()
    .from(practiceArea)
    .where(and(eq(practiceArea.firmId, firmId), isNull(practiceArea.deletedAt)))
    .orderBy(desc(practiceArea.ordinal))
    .limit(limit)
    .offset(offset),
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

const everyArea = statement(({ firmId }: Given<'firmId'>) =>
  query
    .select()
    .from(practiceArea)
    .where(and(eq(practiceArea.firmId, firmId), isNull(practiceArea.deletedAt)))
    .orderBy(asc(practiceArea.ordinal)),
);

const everyStage = statement(({ firmId }: Given<'firmId'>) =>
  query
    .select()
    .from(stage)
    .where(and(eq(stage.firmId, firmId), isNull(stage.deletedAt)))
    .orderBy(asc(stage.position)),
);
