import {
  bigint,
  boolean,
  foreignKey,
  index,
  integer,
  pgTable,
  primaryKey,
  text,
  unique,
  uuid,
} from 'drizzle-orm/pg-core';
import { identity, lifetime, moment, refersTo } from '../base/columns.ts';
import { firm } from '../firm/table.ts';

export const practiceArea = pgTable(
  'practice_area',
  {
    ...identity(),
    ordinal: bigint({ mode: 'number' }).notNull(),
    name: text().notNull(),
    /** Whether matters of this area should have a limitation date. */
    expectsLimitationDate: boolean().notNull().default(false),
    ...lifetime(),
  },
  (table) => [
    primaryKey({ columns: [table.firmId, table.id] }),
    index('practice_area_list').on(table.firmId, table.ordinal),
    foreignKey({ name: 'practice_area_firm', columns: [table.firmId], foreignColumns: [firm.id] }),
  ],
);

/** A stage of a practice area's board. A removed stage is marked as deleted, never erased. */
export const stage = pgTable(
  'stage',
  {
    ...identity(),
    practiceAreaId: uuid().notNull(),
    name: text().notNull(),
    position: integer().notNull(),
    createdAt: moment().notNull(),
    deletedAt: moment(),
  },
  (table) => [
    primaryKey({ columns: [table.firmId, table.id] }),
    // A record that refers to a stage and its practice area together cannot pair those of two
    // areas.
    unique('stage_in_area').on(table.firmId, table.practiceAreaId, table.id),
    index('stage_of_area').on(table.firmId, table.practiceAreaId, table.position),
    refersTo('stage_practice_area', table, table.practiceAreaId, practiceArea),
  ],
);
