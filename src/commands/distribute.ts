import type { Command } from 'commander';
import { invalid, Refusal } from '../base/refusal.ts';
import {
  refuseUnspreadable,
  removeLocalCopies,
  type Spread,
  spread,
} from '../postgres/citus/distribute.ts';
import { continueNumbers } from '../postgres/citus/numbers.ts';
import { keepRowsOfNoFirm } from '../postgres/citus/of-no-firm.ts';
import { keepMigrationsOut, migrate } from '../postgres/migrate.ts';
import { openSession } from '../postgres/session.ts';
import {
  type Addresses,
  type CommonOptions,
  print,
  type Terminal,
  withAddresses,
  withCommonOptions,
} from './terminal.ts';

export const distributeCommand = (program: Command, terminal: Terminal) => {
  withCommonOptions(program.command('distribute'))
    .description('spread the database over the nodes of its cluster (Citus), firm by firm')
    .option('--shards <n>', 'into how many parts the firms are divided', shardsFrom, 32)
    .addHelpText('after', '\nExample:\n  matterhorn distribute')
    .action(async (options: CommonOptions & { shards: number }) => {
      const done = await withAddresses(terminal, options, (addresses, settings) => {
        if (!settings.database) throw new Refusal('conflict', noCluster);
        return distribute(addresses, options.shards);
      });
      const { tables, nodes } = done;
      print(terminal, options, { tables, nodes, shards: options.shards }, [
        `The database is spread over ${nodes} nodes: ${tables} tables, in ${options.shards} parts by firm.`,
        'Start the server now.',
      ]);
    });
};

const noCluster =
  'The built-in database has one node. Name the coordinator of a cluster in DATABASE_URL.';

const shardsFrom = (text: string) => {
  const shards = /^\d{1,4}$/.test(text) ? Number(text) : 0;
  if (shards < 1 || shards > 1_024)
    throw invalid('--shards must be a whole number from 1 to 1024.');
  return shards;
};

const distribute = async ({ requests, owner }: Addresses, shards: number): Promise<Spread> => {
  const first = await openSession(owner);
  await refuseUnspreadable(first).finally(() => first.close());
  await migrate(owner, requests);
  const session = await openSession(owner);
  try {
    // No server and no other command can start on it meanwhile.
    if (!(await keepMigrationsOut(session))) throw new Refusal('conflict', inUse);
    await refuseUnspreadable(session);
    const done = await session.transaction(() => spread(session, shards));
    await session.transaction(() => removeLocalCopies(session));
    await keepRowsOfNoFirm(session);
    await continueNumbers(session);
    return done;
  } finally {
    await session.close();
  }
};

const inUse = 'Somebody else is changing this database. Try again when that is done.';
