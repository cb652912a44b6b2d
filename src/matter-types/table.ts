import { bigint, index, pgTable, primaryKey, text, unique, uuid } from 'drizzle-orm/pg-core';
import { identity, lifetime, refersTo } from '../base/columns.ts';
import { practiceArea } from '../practice-areas/table.ts';

/** A kind of matter within one practice area, fixed at creation. */
export const matterType = pgTable(
  'matter_type',
  {
    ...identity(),
    ordinal: bigint({ mode: 'number' }).notNull(),
    practiceAreaId: uuid().notNull(),
    name: text().notNull(),
    ...lifetime(),
  },
  (table) => [
    primaryKey({ columns: [table.firmId, table.id] }),
    // What refers to a type and its practice area together cannot pair those of two areas.
    unique('matter_type_in_area').on(table.firmId, table.practiceAreaId, table.id),
    index('matter_type_list').on(table.firmId, table.practiceAreaId, table.ordinal),
    refersTo('matter_type_practice_area', table, table.practiceAreaId, practiceArea),
  ],
);
