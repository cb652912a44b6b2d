import { type SQL, sql } from 'drizzle-orm';
import type { Given } from '../postgres/statement.ts';
import type { Key, ListOrder } from '../views/listing.ts';
import { matterStatuses, sortedLength } from './table.ts';

export const matterSorts = [
  ...(['number', 'title', 'clients', 'area', 'stage', 'type', 'responsible'] as const),
  ...(['limitation', 'opened', 'closed', 'status', 'created'] as const),
] as const;

export type MatterSort = (typeof matterSorts)[number];

export type MatterOrder = ListOrder<MatterSort>;

// Sorted here, so that those of one name after the other are read, until there are enough.
const namesIn =
  (table: string, area = 'null::uuid') =>
  ({ firmId }: Given<'firmId'>, way: SQL) =>
    sql`
    (select id, ${sql.raw(area)} as area, rank() over (order by lower(name) ${way}) as place
      from ${sql.raw(table)} where firm_id = ${firmId} order by 3 offset 0)`;

const statuses = sql.raw(matterStatuses.map((status) => `('${status}')`).join());

/** What a column is sorted by; number and moment of creation by the ordinal alone. */
export const keyOf: Partial<Record<MatterSort, Key<unknown>>> = {
  title: { column: sql`lower(left(matter.title, ${sql.raw(String(sortedLength))}))` },
  clients: { column: sql`matter.client_name`, isOptional: true },
  area: { column: sql`matter.practice_area_id`, names: namesIn('practice_area') },
  stage: { column: sql`matter.stage_id`, names: namesIn('stage', 'practice_area_id') },
  type: {
    column: sql`matter.matter_type_id`,
    isOptional: true,
    names: namesIn('matter_type', 'practice_area_id'),
  },
  responsible: {
    column: sql`matter.first_attorney_id`,
    isOptional: true,
    names: namesIn('member'),
  },
  limitation: { column: sql`matter.sol_date`, isOptional: true },
  opened: { column: sql`matter.open_date` },
  closed: { column: sql`matter.close_date`, isOptional: true },
  status: {
    column: sql`matter.status`,
    names: (
      _,
      way,
    ) => sql`(select status as id, null::uuid as area, rank() over (order by status collate "C" ${way}) as place
      from (values ${statuses}) of_matters (status) order by 3 offset 0)`,
  },
};

export const isNewestFirst = ({ by, isDown }: MatterOrder) => isDown && !(by in keyOf);
