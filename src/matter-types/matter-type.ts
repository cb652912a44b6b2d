import { and, asc, desc, eq, isNull, sql } from 'drizzle-orm';
import { newId } from '../base/columns.ts';
import { notFound } from '../base/refusal.ts';
import { type Given, query, statement } from '../postgres/statement.ts';
import { practiceAreaFor } from '../practice-areas/list.ts';
import { practiceArea } from '../practice-areas/table.ts';
import type { Reader } from '../record/actor.ts';
import type { Page } from '../record/page.ts';
import { type Acting, type Write, write } from '../record/write.ts';
import { allocate, countRemoved } from '../register/register.ts';
import { matterType } from './table.ts';
import type { MatterTypeChange, MatterTypeRow, NewMatterType } from './wire.ts';

/** Makes a matter type of a practice area. Throws `Refusal` not_found for the practice area. */
export const createMatterType = (actor: Acting, body: NewMatterType) =>
  write(actor, async (w) => {
    const area = await practiceAreaFor(w, body.practiceAreaId);
    const made = await addMatterType(w, area.id, body.name);
    return viewMatterType({ ...made, practiceAreaName: area.name });
  });

const addMatterType = async (w: Write, practiceAreaId: string, name: string) => {
  const { ordinal, at } = await allocate(w, matterType);
  const made = {
    firmId: w.firmId,
    id: newId(),
    ordinal,
    practiceAreaId,
    name: name.trim(),
    createdAt: at,
    updatedAt: at,
    deletedAt: null,
  };
  w.create(matterType, made);
  return made;
};

/** Changes the name. Throws `Refusal` not_found. */
export const updateMatterType = (actor: Acting, id: string, body: MatterTypeChange) =>
  write(actor, async (w) => {
    const [stored, now] = await Promise.all([
      w.first(typeForChange, { firmId: w.firmId, id }),
      w.now(),
    ]);
    if (!stored) throw notFound();
    const fields = { name: body.name?.trim() ?? stored.name, updatedAt: now };
    return viewMatterType(w.update(matterType, stored, fields) ? { ...stored, ...fields } : stored);
  });

/** Takes a matter type out of the lists. Throws `Refusal` not_found. */
export const removeMatterType = (actor: Acting, id: string) =>
  write(actor, async (w) => {
    const [stored, now] = await Promise.all([
      w.first(typeForChange, { firmId: w.firmId, id }),
      w.now(),
    ]);
    if (!stored) throw notFound();
    countRemoved(w, matterType, stored.ordinal);
    w.remove(matterType, stored, now);
  });

/** One matter type. Throws `Refusal` not_found. */
export const readMatterType = async (reader: Reader, id: string) => {
  const found = await reader.first(typeById, { firmId: reader.firmId, id });
  if (!found) throw notFound();
  return viewMatterType(found);
};

/** A page of a practice area's matter types, newest first. Throws `Refusal` not_found for the practice area. */
export const listMatterTypes = async (
  reader: Reader,
  page: Page,
  parameters: { practiceAreaId: string },
) => {
  const area = await practiceAreaFor(reader, parameters.practiceAreaId);
  const ofArea = { firmId: reader.firmId, practiceAreaId: area.id };
  const [rows, counted] = await Promise.all([
    reader.run(typePage, { ...ofArea, ...page }),
    reader.first(countTypes, ofArea),
  ]);
  return { rows: rows.map(viewMatterType), total: Number(counted?.count ?? 0) };
};

/** All matter types of the firm, oldest first. */
export const allMatterTypes = (reader: Reader) => reader.run(everyType, { firmId: reader.firmId });

type WithArea = Pick<
  typeof matterType.$inferSelect,
  'id' | 'name' | 'practiceAreaId' | 'createdAt' | 'updatedAt'
> & { practiceAreaName: string };

const viewMatterType = (type: WithArea): MatterTypeRow => ({
  id: type.id,
  name: type.name,
  practiceArea: { id: type.practiceAreaId, name: type.practiceAreaName },
  createdAt: type.createdAt.toISOString(),
  updatedAt: type.updatedAt.toISOString(),
});

const withArea = () =>
  query
    .select({
      firmId: matterType.firmId,
      id: matterType.id,
      ordinal: matterType.ordinal,
      name: matterType.name,
      practiceAreaId: matterType.practiceAreaId,
      createdAt: matterType.createdAt,
      updatedAt: matterType.updatedAt,
      practiceAreaName: practiceArea.name,
    })
    .from(matterType)
    .innerJoin(
      practiceArea,
      and(
        eq(practiceArea.firmId, matterType.firmId),
        eq(practiceArea.id, matterType.practiceAreaId),
      ),
    );

const isOfFirm = ({ firmId }: Given<'firmId'>) =>
  and(eq(matterType.firmId, firmId), isNull(matterType.deletedAt));
const isThisType = (given: Given<'firmId' | 'id'>) =>
  and(isOfFirm(given), eq(matterType.id, given.id));
const isOfArea = (given: Given<'firmId' | 'practiceAreaId'>) =>
  and(isOfFirm(given), eq(matterType.practiceAreaId, given.practiceAreaId));

const typeById = statement((given: Given<'firmId' | 'id'>) => withArea().where(isThisType(given)));
const typeForChange = statement((given: Given<'firmId' | 'id'>) =>
  withArea().where(isThisType(given)).for('update', { of: matterType }),
);

const typePage = statement((given: Given<{ firmId: string; practiceAreaId: string } & Page>) =>
  withArea()
    .where(isOfArea(given))
    .orderBy(desc(matterType.ordinal))
    .limit(given.limit)
    .offset(given.offset),
);

// A practice area has tens of them, not thousands.
const countTypes = statement((given: Given<'firmId' | 'practiceAreaId'>) =>
  query.select({ count: sql<string>`count(*)` }).from(matterType).where(isOfArea(given)),
);

const everyType = statement((given: Given<'firmId'>) =>
  query.select().from(matterType).where(isOfFirm(given)).orderBy(asc(matterType.ordinal)),
);
