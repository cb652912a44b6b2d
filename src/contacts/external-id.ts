/**
 * The id that another program gave a record, so that it finds it again and makes it once. It is unique
 * among the firm's records of a kind that are not deleted (docs/contract.md, Records).
 */
import { type SQL, sql } from 'drizzle-orm';
import type { PgColumn, PgTable } from 'drizzle-orm/pg-core';
import { t } from 'elysia';
import { constraintOf } from '../base/constraint.ts';
import { Refusal } from '../base/refusal.ts';
import { nonEmptyText, nullable, textOut } from '../base/shapes.ts';
import { type Given, statement } from '../postgres/statement.ts';
import type { Reader } from '../record/actor.ts';
import type { Acting, Write } from '../record/write.ts';
import { type Viewer, viewerOf } from '../visibility/visibility.ts';

export const longestExternalId = 255;

/** `externalId` in the body of a create. */
export const externalIdIn = () =>
  t.Optional({
    ...nonEmptyText(longestExternalId),
    description:
      'The id that your program gave it: a second record with the same one is refused with 409. `GET /v1/search?externalId=` finds it.',
  });

/** `externalId` in an answer that was asked for it. */
export const externalIdOut = () =>
  t.Optional(nullable(textOut(longestExternalId, 'Only with `include=externalId`.')));

type Table = PgTable & Record<'firmId' | 'id' | 'externalId' | 'deletedAt', PgColumn>;
type Kind = {
  /** Its unique index. */
  constraint: string;
  noun: string;
  /** The scope that shows its records. */
  reading: `${string}:read`;
  isSeen: (given: Given<Viewer>) => SQL;
};

/** Thrown within a write, before it has written anything. */
const taken = new Error('Another record has this external id.');

/** What a kind of record does with its external ids. */
export const externalIdsOf = (table: Table, { constraint, noun, reading, isSeen }: Kind) => {
  const holder = statement(
    (given: Given<Viewer & { externalId: string }>) => sql<{ id: string; isSeen: boolean }>`
      select ${table.id}::text as id, coalesce(${isSeen(given)}, false) as "isSeen" from ${table}
      where ${table.firmId} = ${given.firmId} and ${table.externalId} = ${given.externalId}
        and ${table.deletedAt} is null`,
  );
  const holderOf = (reader: Reader, externalId: string) =>
    reader.first(holder, { ...viewerOf(reader), externalId });

  return {
    /** Ends a write that would give a new record an id that another one has. */
    mustBeFree: async (w: Write, externalId: string | null) => {
      if (externalId !== null && (await holderOf(w, externalId))) throw taken;
    },

    /**
     * For the `catch` of that write: `Refusal` conflict, which names the record to a caller who may see
     * it.
     */
    refuseTaken:
      (acting: Acting, externalId: string | undefined) =>
      async (error: unknown): Promise<never> => {
        const isTaken = error === taken || constraintOf(error) === constraint;
        if (!isTaken || externalId === undefined || 'author' in acting) throw error;
        const found = await holderOf(acting, externalId.trim());
        const shown = found?.isSeen && (acting.holds?.(reading) ?? true) ? found.id : undefined;
        throw new Refusal(
          'conflict',
          shown
            ? `externalId is taken: the ${noun} ${shown} has it.`
            : `externalId is taken: another ${noun} of the firm has it.`,
        );
      },

    /** What a deleted record keeps when it comes back: null if another one has its id by now. */
    whenRestored: async (w: Write, externalId: string | null) => {
      if (externalId === null || !w.mustCheck(constraint)) return externalId;
      return (await holderOf(w, externalId)) ? null : externalId;
    },
  };
};
