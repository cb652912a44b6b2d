import { desc, eq, sql } from 'drizzle-orm';
import { type Given, query, statement } from '../postgres/statement.ts';
import type { Reader } from '../record/actor.ts';
import type { Page } from '../record/page.ts';
import { customField, uncarriedTypes } from './table.ts';

/** A page of the firm's custom field definitions, newest first. */
export const listCustomFields = async (reader: Reader, page: Page) => {
  const { firmId } = reader;
  const [rows, counted] = await Promise.all([
    reader.run(definitions, { firmId, ...page }),
    reader.first(countDefinitions, { firmId }),
  ]);
  const viewed = rows.map(({ id, name, appliesTo, type, options }) => ({
    id,
    name,
    appliesTo,
    type,
    options,
    isWritable: !(uncarriedTypes as readonly string[]).includes(type),
  }));
  return { rows: viewed, total: Number(counted?.count ?? 0) };
};

const isOfFirm = ({ firmId }: Given<'firmId'>) => eq(customField.firmId, firmId);

const definitions = statement((given: Given<{ firmId: string } & Page>) =>
  query
    .select()
    .from(customField)
    .where(isOfFirm(given))
    .orderBy(desc(customField.createdAt), desc(customField.id))
    .limit(given.limit)
    .offset(given.offset),
);

// A firm has tens of them, not thousands.
const countDefinitions = statement((given: Given<'firmId'>) =>
  query.select({ count: sql<string>`count(*)` }).from(customField).where(isOfFirm(given)),
);
