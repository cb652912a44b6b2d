import { sql } from 'drizzle-orm';
import { outdated, prune } from '../record/pruning.ts';
import { knownBrowserLimits } from './known-browser.ts';

/**
 * Removes sessions and links that ended long ago, browsers that were not used for long, expired
 * challenges of passkeys, and what is stored about callers unseen for a day. A session ends after 30 days at most, a link after 7. They
 * are kept for a while, to answer who was signed in. The audit log keeps the answer for good.
 */
export const signInPruning = {
  kind: 'prune_sign_in',
  everySeconds: 3_600,
  work: prune(
    outdated('session', 'id', sql`created_at <= moment() - interval '90 days'`),
    outdated('sign_in_link', 'id', sql`expires_at <= moment() - interval '90 days'`),
    outdated('passkey_challenge', 'digest', sql`expires_at <= moment()`),
    outdated(
      'known_browser',
      'member_id, digest',
      sql`seen_at <= moment() - interval '${sql.raw(String(knownBrowserLimits.days))} days'`,
    ),
    outdated('rate_bucket', 'key_id', sql`arrival_at <= moment() - interval '1 day'`),
  ),
};
