import { sql } from 'drizzle-orm';
import { fingerprintOf } from '../base/installation-key.ts';
import { statement } from '../postgres/statement.ts';

/** What to do where an installation has no key. */
export const setKey =
  'Name the file of a key in INSTALLATION_KEY, the same for every instance on this database; it is made where there is none.';

/** Says that a key was used and is no longer there. */
export const missing = (file: string, publicKey: string) =>
  `The installation key ${file} is missing; the audit log was signed with ${fingerprintOf(publicKey)}. Put it back from where you keep a copy, or have a new one made with \`matterhorn audit key --new\`.`;

/** The key that last signed the log; nothing if it was never signed. */
export const newestSignature = statement(
  () => sql<{ publicKey: string; signedAt: Date }>`
    select public_key as "publicKey", signed_at as "signedAt" from audit_signature
    order by signed_at desc limit 1`,
);
