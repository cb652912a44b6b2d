/** What many tests expect alike: how a refusal looks, what the audit log holds, texts of a length. */
import { expect } from 'bun:test';
import type { Answer, Firm } from './firm.ts';

/** The answer is this refusal, in exactly the error envelope, and names what it is about. */
export const expectRefusal = (answer: Answer, status: number, code: string, names = '') => {
  const { body } = answer;
  expect({ status: answer.status, body }).toEqual({
    status,
    body: { error: { code, message: expect.any(String) } },
  });
  expect(body.error.message).toContain(names);
};

/** An entry as `audit list --json` prints it. */
export type AuditEntry = {
  id: string;
  at: string;
  action: 'create' | 'update' | 'delete';
  recordKind: string;
  recordId: string;
  memberId: string | null;
  keyId: string | null;
  requestId: string;
  changes: Record<string, { before: unknown; after: unknown }>;
};

/** The audit entries about one record, oldest first; about the whole firm without one. */
export const auditOf = (firm: Firm, recordId?: string) =>
  firm.command<AuditEntry[]>(['audit', 'list', ...(recordId ? ['--record', recordId] : [])]);

/** How many records a list says there are. */
export const totalOf = async (list: Promise<Answer>): Promise<number> =>
  (await list).body.pagination.total;

/**
 * A text with this many characters, of one byte each and of four (one code point, two UTF-16
 * units).
 */
export const alphabets = [
  { script: 'ASCII', of: (length: number) => 'a'.repeat(length) },
  { script: '4-byte characters', of: (length: number) => '𝒜'.repeat(length) },
];

/** The lengths around a limit. */
export const around = (limit: number) => ({
  allowed: [limit - 1, limit],
  refused: limit + 1,
});

/** What is not a value of each JSON type, among it what a lenient reader would convert. */
export const notOf = {
  string: [5, true, ['text'], { text: 'text' }, null],
  boolean: ['true', 'false', 1, 0, [], {}, null],
  list: ['text', 5, {}, true, null],
  object: ['{}', 5, [], true, null],
};

/** An id of the right form that no record has. */
export const unknownId = '019f0000-0000-7000-8000-000000000000';

/** What the doctor found, without late jobs: where no server runs, they are late after half a minute. */
export const withoutLateJobs = <Found extends { what: string }>(findings: Found[]): Found[] =>
  findings.filter(({ what }) => !/^\d+ jobs? (is|are) late/.test(what));
