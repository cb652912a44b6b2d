import type { Command } from 'commander';
import { notFound } from '../base/refusal.ts';
import { type ListedJob, listJobs, maxListed, retryJobs } from '../jobs/dead-letters.ts';
import type { Runs } from '../postgres/pool.ts';
import { findFirm } from './find.ts';
import {
  type CommonOptions,
  print,
  type Terminal,
  table,
  withCommonOptions,
  withDatabase,
} from './terminal.ts';

type RetryOptions = CommonOptions & { all?: boolean };

export const jobCommands = (program: Command, terminal: Terminal) => {
  const job = program
    .command('job')
    .description('show jobs that wait or have failed, and retry them');

  withCommonOptions(job.command('list'))
    .description(`list jobs that failed for good, then late and waiting ones, at most ${maxListed}`)
    .option('--firm <id>', 'only those of this firm')
    .option('--dead', 'only those that failed for good')
    .addHelpText('after', '\nExample:\n  matterhorn job list --dead')
    .action((options: CommonOptions & { dead?: boolean }) =>
      withDatabase(terminal, options, async (database) => {
        const firmId = await firmIdOf(database, options);
        const jobs = await listJobs(database, { onlyDead: options.dead ?? false, firmId });
        print(terminal, options, jobs, lines(jobs));
      }),
    );

  withCommonOptions(job.command('retry [id]'))
    .description('run a job that failed for good again, or all of them')
    .option('--firm <id>', 'only those of this firm')
    .option('--all', 'every job that failed for good')
    .addHelpText('after', '\nExample:\n  matterhorn job retry 4711\n  matterhorn job retry --all')
    .action((id: string | undefined, options: RetryOptions, command: Command) => {
      if ((id === undefined) !== (options.all ?? false)) {
        command.error('error: either the id of a dead job is needed, or --all.');
      }
      return withDatabase(terminal, options, async (database) => {
        const firmId = await firmIdOf(database, options);
        const isNumber = id === undefined || /^\d{1,18}$/.test(id);
        const retried = isNumber ? await retryJobs(database, { id: id ?? null, firmId }) : 0;
        if (id !== undefined && retried === 0) {
          throw notFound('No dead job has this id. `matterhorn job list --dead` shows them.');
        }
        const what = retried === 1 ? '1 job runs' : `${retried} jobs run`;
        print(terminal, options, { retried }, [`${what} again, within a few seconds.`]);
      });
    });
};

const firmIdOf = async (database: Runs, { firm }: CommonOptions) =>
  firm === undefined ? null : (await findFirm(database, firm)).id;

const lines = (jobs: ListedJob[]) =>
  table(
    ['ID', 'KIND', 'STATE', 'DUE', 'FAILURES', 'LAST ERROR'],
    jobs.map((one) => [
      one.id,
      one.kind,
      one.state,
      one.runAt,
      String(one.failures),
      (one.lastError ?? '').replaceAll(/\s+/g, ' ').slice(0, 80),
    ]),
    'There are no such jobs.',
  );
