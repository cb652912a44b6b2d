import type { Command } from 'commander';
import { isId } from '../base/columns.ts';
import { invalid } from '../base/refusal.ts';
import { listAuditEntries } from '../record/audit.ts';
import {
  asAdministrator,
  type CommonOptions,
  print,
  type Terminal,
  table,
  withCommonOptions,
} from './terminal.ts';

/** `audit list`. */
export const auditCommands = (program: Command, terminal: Terminal) => {
  const audit = program.command('audit').description('read the audit log');
  withCommonOptions(audit.command('list'))
    .description('list audit entries, oldest first')
    .option('--firm <id>', 'which firm; may be left out where there is only one')
    .option('--record <id>', 'only entries about this record')
    .addHelpText('after', '\nExample:\n  matterhorn audit list --json')
    .action((options: CommonOptions & { record?: string }) =>
      asAdministrator(terminal, options, async (actor) => {
        if (options.record !== undefined && !isId(options.record)) {
          throw invalid('--record takes the id of a record.');
        }
        const stored = await listAuditEntries(actor, options.record ?? null);
        const entries = stored.map(({ firmId, ...entry }) => ({ ...entry, id: String(entry.id) }));
        const rows = entries.map((one) => [
          one.at.toISOString(),
          one.action,
          one.recordKind,
          one.recordId,
          one.memberId ?? 'administrator',
          Object.keys(one.changes).join(' '),
        ]);
        print(
          terminal,
          options,
          entries,
          table(
            ['AT', 'ACTION', 'RECORD', 'ID', 'MEMBER', 'CHANGED'],
            rows,
            'The audit log is empty.',
          ),
        );
      }),
    );
};
