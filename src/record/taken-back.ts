/** What a member took back, as Undo does: the audit log has both changes, and the later mirrors the earlier. */
import { type SQL, sql } from 'drizzle-orm';
import type { Changes } from '../audit/table.ts';

/** Whether each field gets the value that it had before an earlier change. When it was decided is the change's own. */
export const takesBack = (changes: Changes, earlier: Changes): boolean =>
  Object.entries(changes).every(
    ([field, { after }]) =>
      field === 'decidedAt' || (field in earlier && Bun.deepEquals(after, earlier[field]?.before)),
  );

/**
 * The moment of a record's first change that stands, of those that `which` finds among `audit_entry entry`; null if none
 * does. A change and the next one do not stand if that is by the same member, within a day, and gives back all that the
 * first changed. Done once more, it stands.
 */
export const firstStanding = (which: SQL): SQL => sql`(
  select at from (
    select id, at, changes, row_number() over told as place, lead(changes) over told as later,
      member_id = lead(member_id) over told and key_id is null and lead(key_id) over told is null
        and lead(at) over told < at + interval '24 hours' as is_own
    from audit_entry entry where ${which}
    window told as (order by id)
  ) told where place % 2 = 1 and (is_own and ${mirrors}) is not true
  order by id limit 1)`;

const part = (of: 'changes' | 'later', path: string) =>
  `jsonb_path_query_array(${of} - 'decidedAt', '$.${path}')`;

// Before the first that stands there are pairs alone, so it has an odd place. The paths give fields in one order.
const mirrors = sql.raw(
  [
    [part('changes', '*.before'), part('later', '*.after')],
    [part('changes', '*.after'), part('later', '*.before')],
    [part('changes', 'keyvalue().key'), part('later', 'keyvalue().key')],
  ]
    .map((two) => two.join(' = '))
    .join(' and '),
);
