import type { Database, Runs } from '../postgres/pool.ts';

/** Who looks: decides which records are visible. Every reader of records takes one first. */
export type Reader = Runs & {
  firmId: string;
  /** Null for the administrator at a terminal and for the server itself. */
  memberId: string | null;
  /** Owners, the administrator and the server see private records without being assigned to them. */
  seesPrivate: boolean;
};

/**
 * A POST's Idempotency-Key and the fingerprint of what was sent under it (docs/contract.md,
 * Additions).
 */
export type Repeatable = { keyFamilyId: string; idempotencyKey: string; fingerprint: string };

/** On whose behalf a change is made, as the audit log says it. */
export type Author = Pick<Reader, 'firmId' | 'memberId' | 'seesPrivate'> & {
  /** The API key it came through, if through one. */
  keyId: string | null;
  requestId: string;
  /** When this happened, in the made-up past of a demonstration; otherwise the database's clock says. */
  at?: Date;
};

/** Who acts. Every verb that opens a write takes one first. */
export type Actor = Reader &
  Author & {
    database: Database;
    /** The key and those it was rotated from. */
    keyFamilyId?: string;
    repeatable?: Repeatable | undefined;
    /** Asked at the start of the write, which then sees nothing that others change meanwhile. */
    precondition?: ((reader: Reader) => Promise<void>) | undefined;
    /** Set by `write` when the answer is the first one's, given again. */
    wasReplayed?: boolean;
  };

/** The administrator at a terminal, or the server itself: no member, no key, sees everything. */
export const administrator = (database: Database, firmId: string): Actor => ({
  run: database.run,
  first: database.first,
  database,
  firmId,
  memberId: null,
  seesPrivate: true,
  keyId: null,
  requestId: Bun.randomUUIDv7(),
});
