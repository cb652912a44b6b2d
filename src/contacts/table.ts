import { sql } from 'drizzle-orm';
import {
  bigint,
  boolean,
  check,
  foreignKey,
  index,
  jsonb,
  pgTable,
  primaryKey,
  text,
  uniqueIndex,
} from 'drizzle-orm/pg-core';
import { identity, lifetime } from '../base/columns.ts';
import type { StoredValues } from '../custom-fields/table.ts';
import { firm } from '../firm/table.ts';
import { searchTextIndex } from '../search-text/table.ts';

export type Email = { address: string; label: string | null; isPrimary: boolean };
export type Phone = { number: string; label: string | null; isPrimary: boolean };

export const contact = pgTable(
  'contact',
  {
    ...identity(),
    ordinal: bigint({ mode: 'number' }).notNull(),
    type: text().$type<'PERSON' | 'COMPANY'>().notNull(),
    /** The contact's name, made from the fields below; see `displayName`. */
    name: text().notNull(),
    prefix: text(),
    firstName: text(),
    middleName: text(),
    lastName: text(),
    suffix: text(),
    nickname: text(),
    companyName: text(),
    tradeName: text(),
    companyType: text(),
    emails: jsonb().$type<Email[]>().notNull(),
    phones: jsonb().$type<Phone[]>().notNull(),
    customFields: jsonb().$type<StoredValues>().notNull(),
    /** The id that another program gave it; see contacts/external-id.ts. */
    externalId: text(),
    /**
     * It came with a lead that is private, and is not a client of a matter; see
     * contacts/privacy.ts.
     */
    isPrivate: boolean().notNull().default(false),
    /** What it is found by; see `searchTextOf`. */
    searchText: text('findable_by').notNull(),
    ...lifetime(),
  },
  (table) => [
    primaryKey({ columns: [table.firmId, table.id] }),
    index('contact_list').on(table.firmId, table.ordinal),
    searchTextIndex('contact_search', table),
    uniqueIndex('contact_external_id')
      .on(table.firmId, table.externalId)
      .where(sql`external_id is not null and deleted_at is null`),
    foreignKey({ name: 'contact_firm', columns: [table.firmId], foreignColumns: [firm.id] }),
    check('contact_emails_list', sql`jsonb_typeof(emails) = 'array'`),
    check('contact_phones_list', sql`jsonb_typeof(phones) = 'array'`),
    check('contact_custom_fields_object', sql`jsonb_typeof(custom_fields) = 'object'`),
  ],
);
