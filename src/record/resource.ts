import type { Static, TSchema } from '@sinclair/typebox';
import type { PgTable } from 'drizzle-orm/pg-core';
import type { RefusalCode } from '../base/refusal.ts';
import type { Actor, Reader } from './actor.ts';
import type { Heavy, Include, Listed, Page } from './page.ts';

/** How the events of a resource are told. */
export type Told = {
  /** The table of its records, whose name is the first half of the types of events. */
  table: PgTable;
  /** What the API calls stored fields that it has another name for. */
  as?: Readonly<Record<string, string>>;
  /** The event of a change to a status. Others are `updated`. */
  statuses?: Readonly<Record<string, string>>;
};

/**
 * A resource's card: what the API needs to know to give it its five routes. Paging, envelope,
 * scopes, statuses, error bodies and the API description follow from it (api/five-routes.ts).
 */
type Card<
  Name extends string,
  Row extends TSchema,
  Full extends TSchema,
  New extends TSchema,
  Change extends TSchema,
> = {
  /** The path segment, and the first half of its scopes unless `scope` is another. */
  name: Name;
  scope?: string;
  /** One record, in words for people: `practice area`. */
  noun: string;
  /** What it is, in a sentence for the API description. */
  description: string;
  shapes: { row: Row; full: Full; create: New; update: Change };
  /** For the API description: bodies that are accepted, and the answer to the first of them. */
  examples: { create: Static<New>; update: Static<Change>; full: Static<Full> };
  /** Query parameters of its list besides paging. Its `list` refuses what is missing. */
  listParameters?: Record<string, TSchema>;
  /** What `include` adds to its list and its single reads, and the scope that it needs besides. */
  includes?: Record<string, { needs?: `${string}:read` }>;
  /** How its events are told (docs/contract.md, Events); none of what is no record of the firm. */
  told?: Told;
  /** What its operations can refuse besides what all resources share. */
  refusals: { list?: RefusalCode[]; create: RefusalCode[]; update: RefusalCode[] };
  /** The largest body that it accepts. */
  bodyLimitBytes: number;
  /** A page of the records the reader may see, newest first. */
  list(
    reader: Reader,
    page: Page,
    parameters: Record<string, string | undefined>,
    include?: Include,
  ): Promise<Listed<Static<Row> | Heavy<Static<Row>>>>;
  /** Throws `Refusal` not_found for a record that the reader may not see, whatever the reason. */
  read(reader: Reader, id: string, include?: Include): Promise<Static<Full> | Heavy<Static<Full>>>;
  create(actor: Actor, body: Static<New>): Promise<Static<Full> & { id: string }>;
  update(actor: Actor, id: string, body: Static<Change>): Promise<Static<Full>>;
  remove(actor: Actor, id: string): Promise<void>;
};

/** A card whose shapes the compiler no longer tells apart, as in the list of all resources. */
export type Resource<Name extends string = string> = Card<Name, TSchema, TSchema, TSchema, TSchema>;

/** Checks that a card's verbs accept and return what its shapes say. */
export const resource = <
  const Name extends string,
  Row extends TSchema,
  Full extends TSchema,
  New extends TSchema,
  Change extends TSchema,
>(
  card: Card<Name, Row, Full, New, Change>,
) => card as unknown as Resource<Name>;

const mebibyte = 1024 * 1024;

/**
 * The largest body of every resource whose fields have limits of their own (docs/contract.md,
 * Requests).
 */
export const usualBodyLimitBytes = mebibyte;
