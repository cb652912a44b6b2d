import type { Database, Runs } from '../postgres/pool.ts';

/**
 * Who reads. It decides which records are visible; every function that reads records takes one
 * first.
 */
export type Reader = Runs & {
  firmId: string;
  /** Null for the administrator at a terminal and for the server itself. */
  memberId: string | null;
  /** Owners, the administrator and the server see private records that they are not assigned to. */
  seesPrivate: boolean;
};

/**
 * A POST's Idempotency-Key and the fingerprint of what was sent under it (docs/contract.md,
 * Additions).
 */
export type Repeatable = {
  keyFamilyId: string;
  idempotencyKey: string;
  fingerprint: string;
  /** The fingerprint as versions before 0.3 made it: an answer that one of them kept has it. */
  formerFingerprint?: () => string;
};

/** On whose behalf a change is made, for the audit log. */
export type Author = Pick<Reader, 'firmId' | 'memberId' | 'seesPrivate'> & {
  /** The API key that was used, if any. */
  keyId: string | null;
  requestId: string;
  /** When this happened, in the made-up past of a demonstration; otherwise the database's clock says. */
  at?: Date;
  /** The Idempotency-Key of the request, if it has one. */
  repeatable?: Repeatable | undefined;
};

/** Whether a person does it in the application: no program with a key, and neither the administrator nor the server. */
export const isByPerson = ({ author: { memberId, keyId } }: { author: Author }): boolean =>
  memberId !== null && keyId === null;

/** Who acts. Every verb that opens a write takes one first. */
export type Actor = Reader &
  Author & {
    database: Database;
    /** The first key of the rotations that the key belongs to. */
    keyFamilyId?: string;
    /** Whether the key and its member have a scope; absent for those who need none. */
    holds?: (scope: `${string}:read`) => boolean;
    /** Checked at the start of the write. From then on, the write sees no change by others. */
    precondition?: ((reader: Reader) => Promise<void>) | undefined;
    /**
     * A dry run: everything is checked, nothing is stored, and a repeatable request is not kept.
     * `made` collects the ids of what would have been made.
     */
    dryRun?: { made: Set<string> };
    /** Set by `write` if the answer is the first one, given again. */
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
