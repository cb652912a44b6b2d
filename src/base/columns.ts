import { customType, foreignKey, type PgColumn, timestamp, uuid } from 'drizzle-orm/pg-core';

/** A moment, stored and answered with millisecond precision in UTC. */
export const moment = () => timestamp({ withTimezone: true, precision: 3, mode: 'date' });

/** Bytes as they are: a digest, a public key. */
export const bytes = customType<{ data: Buffer; driverData: Buffer }>({ dataType: () => 'bytea' });

/** The first two columns of every table of a firm. They are its primary key, in this order. */
export const identity = () => ({ firmId: uuid().notNull(), id: uuid().notNull() });

/** The firm id of rows that belong to no firm. */
export const noFirm = '00000000-0000-0000-0000-000000000000';

type Identified = { firmId: PgColumn; id: PgColumn };

/** The foreign key of a column that names a record of the same firm. */
export const refersTo = (
  name: string,
  { firmId }: { firmId: PgColumn },
  column: PgColumn,
  record: Identified,
) => foreignKey({ name, columns: [firmId, column], foreignColumns: [record.firmId, record.id] });

/** When a record was made, last changed, and taken out of the lists. */
export const lifetime = () => ({
  createdAt: moment().notNull(),
  updatedAt: moment().notNull(),
  deletedAt: moment(),
});

/** A new record's id: UUIDv7, so that ids made later sort later. */
export const newId = () => Bun.randomUUIDv7();

const uuidPattern = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/;

/**
 * Whether a text can be an id at all. If not, it is answered like an unknown id, without a query.
 */
export const isId = (text: string) => uuidPattern.test(text);
