import { sql } from 'drizzle-orm';
import { statement } from '../postgres/statement.ts';
import { prune, pruneBatch } from '../record/pruning.ts';

const batch = sql.raw(String(pruneBatch));

// A session ends after 30 days at most, a link after 7. They are kept for a while, to answer who
// was signed in. The audit log keeps the answer for good.
const removeOld = statement(
  () => sql`
    with old_session as (
      delete from session where (firm_id, id) in (
        select firm_id, id from session where created_at <= moment() - interval '90 days'
        order by created_at limit ${batch} for update skip locked)
      returning 1),
    old_link as (
      delete from sign_in_link where (firm_id, id) in (
        select firm_id, id from sign_in_link where expires_at <= moment() - interval '90 days'
        order by expires_at limit ${batch} for update skip locked)
      returning 1),
    old_challenge as (
      delete from passkey_challenge where (firm_id, digest) in (
        select firm_id, digest from passkey_challenge where expires_at <= moment()
        limit ${batch} for update skip locked)
      returning 1),
    old_bucket as (
      delete from rate_bucket where (firm_id, key_id) in (
        select firm_id, key_id from rate_bucket where arrival_at <= moment() - interval '1 day'
        limit ${batch} for update skip locked)
      returning 1)
    select 1 from (
      select row_number() over () from old_session
      union select row_number() over () from old_link
      union select row_number() over () from old_challenge
      union select row_number() over () from old_bucket) as removed`,
);

/**
 * Removes sessions and links that ended long ago, expired challenges of passkeys, and what is
 * stored about callers unseen for a day.
 */
export const signInPruning = {
  kind: 'prune_sign_in',
  everySeconds: 3_600,
  work: prune(removeOld),
};
