import { type Column, sql } from 'drizzle-orm';
import { foreignKey, index, integer, pgTable, primaryKey, text, unique } from 'drizzle-orm/pg-core';
import { identity, moment } from '../base/columns.ts';
import { firm } from '../firm/table.ts';

/** The kinds of record that carry custom fields, as the wire says them. */
export const customFieldHolders = ['CONTACT', 'MATTER', 'LEAD'] as const;
export type CustomFieldHolder = (typeof customFieldHolders)[number];

/**
 * A field that a firm added to its contacts, matters or leads. Values are on the record, by field
 * id.
 */
export const customField = pgTable(
  'custom_field',
  {
    ...identity(),
    appliesTo: text().$type<CustomFieldHolder>().notNull(),
    name: text().notNull(),
    type: text().$type<CustomFieldType>().notNull(),
    /** The labels of a SELECT or MULTI_SELECT; empty otherwise. */
    options: text().array().notNull(),
    position: integer().notNull(),
    createdAt: moment().notNull(),
  },
  (table) => [
    primaryKey({ columns: [table.firmId, table.id] }),
    unique('custom_field_name').on(table.firmId, table.appliesTo, table.name),
    foreignKey({ name: 'custom_field_firm', columns: [table.firmId], foreignColumns: [firm.id] }),
  ],
);

/**
 * Types whose values the API carries, and types that exist only in the application
 * (docs/contract.md, Records).
 */
export const carriedTypes = [
  ...(['TEXT', 'LONG_TEXT', 'URL', 'EMAIL', 'PHONE', 'NUMBER', 'CURRENCY', 'CHECKBOX'] as const),
  ...(['DATE', 'SELECT', 'MULTI_SELECT', 'CONTACT', 'MATTER'] as const),
] as const;
export const uncarriedTypes = ['FILE', 'FORMULA', 'SIGNATURE'] as const;
export const customFieldTypes = [...carriedTypes, ...uncarriedTypes] as const;
export type CustomFieldType = (typeof customFieldTypes)[number];

/** A value, as its field's type has it. */
export type CustomValue = string | number | boolean | readonly string[];

/** Values as they are stored: by field id, only those that are set. */
export type StoredValues = Record<string, CustomValue>;

/**
 * The index over the texts in a table's custom fields, without deleted records. `field_keys`
 * (drizzle/0022_lists_in_any_order.sql) makes its keys: of each text, and of a day also its month,
 * its year, and the first digits of that, so that few keys cover any range of days.
 */
export const fieldIndex = (name: string, table: { firmId: Column; customFields: Column }) =>
  index(name)
    .using('gin', sql`field_keys(${table.firmId}, ${table.customFields})`)
    .with({ gin_pending_list_limit: 128 })
    .where(sql`deleted_at is null`);
