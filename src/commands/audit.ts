import type { Command } from 'commander';
import { listKeys } from '../api-keys/list.ts';
import { exportLines } from '../audit/export.ts';
import { auditSeal } from '../audit/seal.ts';
import { firmsOfLog, type Standing, verifyChain } from '../audit/verify.ts';
import { isId } from '../base/columns.ts';
import { writeNewFile } from '../base/new-file.ts';
import { invalid, Refusal } from '../base/refusal.ts';
import { findFirm, listFirms, listMembers } from '../firm/firm.ts';
import { nextRunOf } from '../jobs/queue.ts';
import type { Database, Runs } from '../postgres/pool.ts';
import type { Reader } from '../record/actor.ts';
import { entriesSeen } from '../sight/entries.ts';
import {
  asAdministrator,
  type CommonOptions,
  firmOption,
  print,
  type Terminal,
  table,
  untilInterrupted,
  withCommonOptions,
  withDatabase,
} from './terminal.ts';

/** `audit list`, `audit verify`, `audit export`. */
export const auditCommands = (program: Command, terminal: Terminal) => {
  const audit = program.command('audit').description('read and prove the audit log');
  listCommand(audit, terminal);
  verifyCommand(audit, terminal);
  exportCommand(audit, terminal);
};

const listCommand = (audit: Command, terminal: Terminal) =>
  withCommonOptions(audit.command('list'))
    .description('list audit entries, oldest first')
    .option(...firmOption)
    .option('--record <id>', 'only entries about this record', recordFrom)
    .addHelpText('after', '\nExample:\n  matterhorn audit list --json')
    .action((options: CommonOptions & { record?: string }) =>
      asAdministrator(terminal, options, async (actor) => {
        const stored = await entriesSeen(actor, options.record ?? null);
        const entries = stored.map(({ firmId, xid, ...entry }) => ({
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

const recordFrom = (text: string) => {
  if (isId(text)) return text;
  throw invalid('--record takes the id of a record.');
};

/** What people call the members and keys that the log names by id. */
const namesOf = async (reader: Reader) => {
  const [members, keys] = await Promise.all([listMembers(reader), listKeys(reader)]);
  const emails = new Map(members.map(({ id, email }) => [id, email]));
  const names = new Map(keys.map(({ id, name, start }) => [id, `${name} (${start}…)`]));
  return {
    emailOf: (id: string | null) => (id === null ? 'administrator' : (emails.get(id) ?? id)),
    keyNameOf: (id: string | null) => (id === null ? '' : (names.get(id) ?? id)),
  };
};

const verifyCommand = (audit: Command, terminal: Terminal) =>
  withCommonOptions(audit.command('verify'))
    .description('prove that no entry of the audit log was changed, removed or slipped in')
    .option('--firm <id>', 'only the log of this firm; all of them where left out')
    .addHelpText('after', '\nExample:\n  matterhorn audit verify')
    .action((options: CommonOptions) =>
      withDatabase(terminal, options, async (database) => {
        const sealedUntil = await mustBeSealedUntil(database);
        const firms: Standing[] = [];
        for (const firmId of await firmIdsOf(database, options.firm)) {
          firms.push(await verifyChain(database, firmId, sealedUntil));
        }
        print(terminal, options, { firms }, firms.map(sentenceOn));
        const misfits = firms.filter(({ firstBad }) => firstBad).length;
        if (misfits > 0) {
          throw new Refusal(
            'conflict',
            `The audit log of ${misfits === 1 ? '1 firm' : `${misfits} firms`} does not fit its seals. Compare with a backup or an earlier export, and find out who could write to the database.`,
          );
        }
      }),
    );

/** Firms that only the log knows are verified too: there a change of an entry's firm comes out. */
const firmIdsOf = async (database: Database, firm: string | undefined) => {
  if (firm !== undefined) return [(await findFirm(database, firm)).id];
  const known = (await listFirms(database)).map(({ id }) => id);
  return [...new Set([...known, ...(await firmsOfLog(database))])];
};

const graceMilliseconds = 60_000;

/**
 * What is older than this must be sealed: a minute before the sealer last ended. While no server
 * runs nothing is sealed, and nothing is wrong with that.
 */
const mustBeSealedUntil = async (database: Runs): Promise<Date | null> => {
  const next = await nextRunOf(database, auditSeal.kind);
  if (!next) return null;
  return new Date(Math.min(next.runAt.getTime(), next.now.getTime()) - graceMilliseconds);
};

const sentenceOn = ({ firmId, entries, sealed, unsealed, head, firstBad }: Standing) => {
  if (firstBad) {
    const { id, recordKind, recordId, what, explanation } = firstBad;
    const record = recordKind ? ` about ${recordKind} ${recordId}` : '';
    return `${firmId}: ${what}: entry ${id ?? '(unknown)'}${record}. ${explanation}`;
  }
  const counts = `${entries} entries, ${sealed} sealed, ${unsealed} not yet`;
  return `${firmId}: ${counts}; all fit. Head: ${head ?? 'none yet'}`;
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
            'It holds every change in clear: keep it where only those may look who may see all.',
          ]);
        }),
      ),
    );
