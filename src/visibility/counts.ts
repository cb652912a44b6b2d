import { sql } from 'drizzle-orm';
import { type Given, shortStatement, statement } from '../postgres/statement.ts';
import type { Reader } from '../record/actor.ts';
import { eachBlockLength } from '../register/register.ts';
import { type Hideable, type Own, ownPrivate, type Viewer, viewerOf } from './visibility.ts';

// The register counts all records and the private ones. A member's own are few, and are counted if
// there are any.
const totalOf = (kind: Hideable) =>
  shortStatement(
    (given: Given<Viewer>) => sql<{ total: number }>`
      select (live - case when ${given.seesPrivate} or live_private = 0 then 0
        else live_private - (select count(*) ${ownPrivate[kind](given)}) end)::float8 as total
      from register where firm_id = ${given.firmId} and kind = ${sql.raw(`'${kind}'`)}`,
    ({ seesPrivate }) => seesPrivate,
  );

const totals = { lead: totalOf('lead'), contact: totalOf('contact') };

/** How many leads or contacts the reader may see. */
export const totalSeen = async (reader: Reader, kind: Hideable): Promise<number> =>
  (await reader.first(totals[kind], viewerOf(reader)))?.total ?? 0;

const ownByBlockOf = (kind: Hideable) =>
  statement(
    (own: Own) => sql<{ length: number; block: number; live: number }>`
      select length, (ordinal / length)::int as block, count(*)::int as live
      from (select ${sql.raw(kind)}.ordinal ${ownPrivate[kind](own)}) own, ${eachBlockLength} group by 1, 2`,
  );

const ownByBlock = { lead: ownByBlockOf('lead'), contact: ownByBlockOf('contact') };

/** How many private leads or contacts of each of the register's blocks the reader sees as an assignee. */
export const ownPrivateByBlock = (kind: Hideable) => (reader: Reader) =>
  reader.run(ownByBlock[kind], { firmId: reader.firmId, memberId: reader.memberId });
