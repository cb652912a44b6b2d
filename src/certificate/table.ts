import { integer, jsonb, pgTable, primaryKey, text } from 'drizzle-orm/pg-core';
import { moment } from '../base/columns.ts';
import type { Refused } from './refused.ts';

/** An account at a directory of certificates: nothing but the key that proves it, sealed. */
export const certificateAccount = pgTable('certificate_account', {
  directory: text().primaryKey(),
  key: text().notNull(),
  madeAt: moment().notNull(),
});

/**
 * The installation's certificate for some names, taken from a directory, and how taking it stands.
 * It belongs to no firm: every instance shows the same one to all of them.
 */
export const certificate = pgTable(
  'certificate',
  {
    directory: text().notNull(),
    /** In the order of the setting, with commas between them. */
    names: text().notNull(),
    /** The certificate and those of its issuers, as PEM text. */
    chain: text(),
    /** Its key, sealed. */
    key: text(),
    endsAt: moment(),
    renewsAt: moment(),
    /** How many tries have failed since the last one that did not. */
    tries: integer().notNull().default(0),
    /** When the try began that is under way. Whoever began it may have ended since. */
    tryingSince: moment(),
    nextTryAt: moment().notNull(),
    /** Until when the directory itself wants to be left alone. */
    barredUntil: moment(),
    refusedAt: moment(),
    refused: jsonb().$type<Refused>(),
  },
  (table) => [primaryKey({ columns: [table.directory, table.names] })],
);

/** What a directory wants to read at a name, to see that the name is this installation's. */
export const certificateChallenge = pgTable('certificate_challenge', {
  token: text().primaryKey(),
  answer: text().notNull(),
  madeAt: moment().notNull(),
});
