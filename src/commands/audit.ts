import type { Command } from 'commander';
import { listKeys } from '../api-keys/list.ts';
import { exportLines } from '../audit/export.ts';
import { isId } from '../base/columns.ts';
import { writeNewFile } from '../base/new-file.ts';
import { invalid } from '../base/refusal.ts';
import { listMembers } from '../firm/member.ts';
import type { Reader } from '../record/actor.ts';
import { entriesSeen } from '../visibility/entries.ts';
import { proofCommands } from './audit-proof.ts';
import {
  asAdministrator,
  type CommonOptions,
  firmOption,
  print,
  type Terminal,
  table,
  untilInterrupted,
  withCommonOptions,
} from './terminal.ts';

/** `audit list`, `audit export`, and the commands that prove the log. */
export const auditCommands = (program: Command, terminal: Terminal) => {
  const audit = program.command('audit').description('read and verify the audit log');
  listCommand(audit, terminal);
  exportCommand(audit, terminal);
  proofCommands(audit, terminal);
};

const listCommand = (audit: Command, terminal: Terminal) =>
  withCommonOptions(audit.command('list'))
    .description('list audit entries, oldest first')
    .option(...firmOption)
    .option('--record <id>', 'only entries about this record', recordFrom)
    .option(
      '--since <moment>',
      'only entries from then on, for example 2026-11-21 or 2026-11-21T09:30Z',
      sinceFrom,
    )
    .option('--limit <number>', 'how many entries at most, the newest', limitFrom)
    .addHelpText('after', '\nExample:\n  matterhorn audit list --limit 20')
    .action((options: ListOptions) =>
      asAdministrator(terminal, options, async (actor) => {
        const { record: recordId, since, limit } = options;
        const filter = { ...(recordId && { recordId }), ...(since && { since }) };
        const stored = await entriesSeen(actor, { ...filter, ...(limit && { limit }) });
        const entries = stored.map(({ firmId, xid, idempotencyKey, ...entry }) => ({
          ...entry,
          id: String(entry.id),
        }));
        const { emailOf, keyNameOf } = await namesOf(actor);
        const rows = entries.map((one) => [
          ...[one.at.toISOString(), one.action, one.recordKind, one.recordId],
          ...[emailOf(one.memberId), keyNameOf(one.keyId), Object.keys(one.changes).join(' ')],
        ]);
        const heading = ['AT', 'ACTION', 'RECORD', 'ID', 'BY', 'WITH KEY', 'CHANGED'];
        print(terminal, options, entries, table(heading, rows, 'The audit log is empty.'));
      }),
    );

type ListOptions = CommonOptions & { record?: string; since?: Date; limit?: number };

const recordFrom = (text: string) => {
  if (isId(text)) return text;
  throw invalid('--record takes the id of a record.');
};

const sinceFrom = (text: string) => {
  const isMoment = /^\d{4}-\d\d-\d\d(T\d\d:\d\d(:\d\d(\.\d{1,3})?)?(Z|[+-]\d\d:\d\d))?$/.test(text);
  const since = new Date(isMoment ? text : Number.NaN);
  if (!Number.isNaN(since.getTime())) return since;
  throw invalid(
    '--since must be a date or a moment, for example 2026-11-21 or 2026-11-21T09:30:00Z.',
  );
};

const limitFrom = (text: string) => {
  const limit = /^\d{1,7}$/.test(text) ? Number(text) : 0;
  if (limit > 0) return limit;
  throw invalid('--limit must be a whole number from 1 to 9999999.');
};

/** The names of the members and keys that the log has by id. */
const namesOf = async (reader: Reader) => {
  const [members, keys] = await Promise.all([listMembers(reader), listKeys(reader)]);
  const emails = new Map(members.map(({ id, email }) => [id, email]));
  const names = new Map(keys.map(({ id, name, start }) => [id, `${name} (${start}…)`]));
  return {
    emailOf: (id: string | null) => (id === null ? 'administrator' : (emails.get(id) ?? id)),
    keyNameOf: (id: string | null) => (id === null ? '' : (names.get(id) ?? id)),
  };
};

const exportCommand = (audit: Command, terminal: Terminal) =>
  withCommonOptions(audit.command('export [file]'))
    .description(
      'write the log with its seals to a new file, a line of JSON each; others can verify it',
    )
    .option(...firmOption)
    .addHelpText('after', '\nExample:\n  matterhorn audit export harrow-audit.ndjson')
    .action((file: string | undefined, options: CommonOptions) =>
      untilInterrupted((signal) =>
        asAdministrator(terminal, options, async (actor) => {
          const writeLines = async (writeOn: (text: string) => unknown) => {
            for await (const text of exportLines(actor, actor.firmId)) {
              signal.throwIfAborted();
              await writeOn(text);
            }
          };
          if (file === undefined || file === '-') return writeLines(terminal.out);
          await writeNewFile(file, writeLines, signal);
          print(terminal, options, { file }, [
            `The audit log is in ${file}.`,
            'It holds every change in plain text. Keep it where only people who may see everything can read it.',
          ]);
        }),
      ),
    );
