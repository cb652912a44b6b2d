import { sql } from 'drizzle-orm';
import {
  bigint,
  boolean,
  check,
  index,
  pgTable,
  primaryKey,
  text,
  unique,
  uuid,
} from 'drizzle-orm/pg-core';
import { bytes, identity, moment, refersTo } from '../base/columns.ts';
import { member } from '../firm/table.ts';

const ofMember = () => ({ firmId: uuid().notNull(), memberId: uuid().notNull() });

/** A member's password. Only its hash is stored: argon2id, with its parameters. */
export const password = pgTable(
  'password',
  { ...ofMember(), hash: text().notNull(), setAt: moment().notNull() },
  (table) => [
    primaryKey({ columns: [table.firmId, table.memberId] }),
    refersTo('password_member', table, table.memberId, member),
  ],
);

/** A browser in which a member is signed in. The cookie's value is never stored. */
export const session = pgTable(
  'session',
  {
    ...identity(),
    memberId: uuid().notNull(),
    /** SHA-256 of the cookie's value. */
    digest: bytes().notNull(),
    /** How the member proved who they are. */
    signedInWith: text().$type<SignInWay>().notNull(),
    /**
     * The network address and the browser's own name: people tell their sessions apart by these.
     */
    address: text().notNull(),
    browser: text().notNull(),
    createdAt: moment().notNull(),
    /** When the member last proved who they are; null in a demonstration, which asks for no proof. */
    provenAt: moment(),
    /** When it was last used, to the minute. */
    seenAt: moment().notNull(),
    endedAt: moment(),
  },
  (table) => [
    primaryKey({ columns: [table.firmId, table.id] }),
    // Looked up by the digest alone, since a cookie does not name its firm (as in api_key).
    index('session_digest').on(table.digest),
    unique('session_of_firm').on(table.firmId, table.digest),
    index('session_member').on(table.firmId, table.memberId),
    index('session_age').on(table.createdAt),
    refersTo('session_member', table, table.memberId, member),
  ],
);

/**
 * A browser in which a member has signed in. It outlasts its sessions: strangers' wrong passwords do
 * not slow it down, and the member is warned of a browser that is not here.
 */
export const knownBrowser = pgTable(
  'known_browser',
  {
    ...ofMember(),
    /** SHA-256 of the cookie's value. Members who share a browser have the same. */
    digest: bytes().notNull(),
    createdAt: moment().notNull(),
    /** When somebody last signed in with it. */
    seenAt: moment().notNull(),
  },
  (table) => [
    primaryKey({ columns: [table.firmId, table.memberId, table.digest] }),
    // Looked up by the digest alone: nobody is signed in yet.
    index('known_browser_digest').on(table.digest),
    index('known_browser_age').on(table.seenAt),
    refersTo('known_browser_member', table, table.memberId, member),
  ],
);

/** Ways to sign in, as the audit log and "my sessions" name them. */
export type SignInWay =
  | 'password'
  | 'password and code'
  | 'passkey'
  | 'invitation'
  | 'reset'
  | 'demonstration';

/**
 * What a one-time link is for. CODE is not a link: the password was right, and the code is awaited.
 */
export type LinkPurpose = 'INVITE' | 'RESET' | 'DEMONSTRATION' | 'CODE';

/** A secret that a member may use once: the link of an invitation, a reset or a demonstration. */
export const signInLink = pgTable(
  'sign_in_link',
  {
    ...identity(),
    memberId: uuid().notNull(),
    /** SHA-256 of the secret. */
    digest: bytes().notNull(),
    purpose: text().$type<LinkPurpose>().notNull(),
    createdAt: moment().notNull(),
    expiresAt: moment().notNull(),
    usedAt: moment(),
  },
  (table) => [
    primaryKey({ columns: [table.firmId, table.id] }),
    index('sign_in_link_digest').on(table.digest),
    unique('sign_in_link_of_firm').on(table.firmId, table.digest),
    index('sign_in_link_member').on(table.firmId, table.memberId),
    index('sign_in_link_age').on(table.expiresAt),
    refersTo('sign_in_link_member', table, table.memberId, member),
  ],
);

/**
 * The link to make the first firm of an installation: at most one, and none if there is a firm. Its
 * token is stored as it is, because every start prints it until it is used.
 */
export const setupLink = pgTable(
  'setup_link',
  {
    isOnly: boolean().primaryKey().default(true),
    token: text().notNull(),
    createdAt: moment().notNull(),
  },
  (table) => [check('setup_link_is_only', sql`${table.isOnly}`)],
);

/** The program that shows a member's codes (TOTP, RFC 6238). */
export const authenticator = pgTable(
  'authenticator',
  {
    ...ofMember(),
    /**
     * The shared secret in base32, sealed where the installation has a key (base/seal.ts). Codes can
     * only be checked with the secret itself.
     */
    secret: text().notNull(),
    /** Null until the member has typed a first code. Until then no code is asked for. */
    confirmedAt: moment(),
    /** The time step of the last used code. No code is valid twice. */
    lastStep: bigint({ mode: 'number' }).notNull(),
    createdAt: moment().notNull(),
  },
  (table) => [
    primaryKey({ columns: [table.firmId, table.memberId] }),
    refersTo('authenticator_member', table, table.memberId, member),
  ],
);

/** A code that replaces the authenticator's once. */
export const recoveryCode = pgTable(
  'recovery_code',
  {
    ...ofMember(),
    /** SHA-256 of the code. */
    digest: bytes().notNull(),
    usedAt: moment(),
  },
  (table) => [
    primaryKey({ columns: [table.firmId, table.memberId, table.digest] }),
    refersTo('recovery_code_member', table, table.memberId, member),
  ],
);

/** A member's passkey (WebAuthn): the public half of a key on their device. */
export const passkey = pgTable(
  'passkey',
  {
    ...identity(),
    memberId: uuid().notNull(),
    name: text().notNull(),
    /** The credential's id, in base64url. */
    credentialId: text().notNull(),
    publicKey: bytes().notNull(),
    /** How often it was used, as counted by the device; 0 if it does not count. */
    uses: bigint({ mode: 'number' }).notNull(),
    transports: text().array().notNull(),
    /** Whether it is copied to the member's other devices. */
    isSynced: boolean().notNull(),
    createdAt: moment().notNull(),
    lastUsedAt: moment(),
  },
  (table) => [
    primaryKey({ columns: [table.firmId, table.id] }),
    index('passkey_credential').on(table.credentialId),
    unique('passkey_of_firm').on(table.firmId, table.credentialId),
    index('passkey_member').on(table.firmId, table.memberId),
    refersTo('passkey_member', table, table.memberId, member),
  ],
);
