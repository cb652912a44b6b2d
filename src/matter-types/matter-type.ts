import { and, asc, eq, isNull, sql } from 'drizzle-orm';
import { newId } from '../base/columns.ts';
import { query, statement } from '../postgres/statement.ts';
import type { Reader } from '../record/actor.ts';
import { enter } from '../record/register.ts';
import type { Write } from '../record/write.ts';
import { matterType } from './table.ts';

/** Stores a new matter type of a practice area inside a write. */
export const addMatterType = async (w: Write, practiceAreaId: string, name: string) => {
  const { ordinal, at } = await enter(w, 'matter_type');
  const made = {
    ...{ firmId: w.firmId, id: newId(), ordinal, practiceAreaId, name: name.trim() },
    ...{ createdAt: at, updatedAt: at, deletedAt: null },
  };
  w.create(matterType, made);
  return made;
};

/** All matter types of the firm, oldest first. */
export const allMatterTypes = (reader: Reader) => reader.run(everyType, { firmId: reader.firmId });

const everyType = statement(() =>
  query
    .select()
    .from(matterType)
    .where(and(eq(matterType.firmId, sql.placeholder('firmId')), isNull(matterType.deletedAt)))
    .orderBy(asc(matterType.ordinal)),
);
