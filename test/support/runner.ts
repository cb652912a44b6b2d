/**
 * Job runners for tests: in this process, or each in a process of its own that can be killed
 * (`bun test/support/runner.ts`). What their jobs do is written to a table called `effect`.
 */
import { sql } from 'drizzle-orm';
import { readSettings } from '../../src/config.ts';
import type { Job, JobKind } from '../../src/jobs/kind.ts';
import { type Runner, startRunner } from '../../src/jobs/runner.ts';
import { openDatabase } from '../../src/postgres/pool.ts';
import { type Given, statement } from '../../src/postgres/statement.ts';
import { runningRunners } from './kept.ts';
import { environmentOf } from './roles.ts';

const noteEffect = statement(
  ({ job, kind }: Given<{ job: number; kind: string }>) => sql`
    insert into effect (job, kind, process) values (${job}, ${kind}, ${process.pid})`,
);

/** A kind of job whose effect is a row; `first` is done before it. */
export const marking = (
  kind: string,
  more: Partial<JobKind> & { first?: (job: Job) => Promise<void> | void } = {},
): JobKind => ({
  kind,
  ...(more.everySeconds ? { everySeconds: more.everySeconds } : {}),
  ...(more.together ? { together: true } : {}),
  async work(job, transaction) {
    await more.first?.(job);
    await transaction.run(noteEffect, { job: job.id, kind });
  },
});

/** Starts a runner with a pool of its own. */
export const runnerOn = (databaseUrl: string, kinds: JobKind[]): Runner => {
  const address = readSettings(environmentOf(databaseUrl)).database ?? '';
  const database = openDatabase(address, 5);
  const runner = startRunner(database, kinds);
  runningRunners.add(runner);
  return {
    ...runner,
    async stop() {
      await runner.stop();
      runningRunners.delete(runner);
      await database.close();
    },
  };
};

if (import.meta.main) {
  const hang = () => new Promise<void>(() => {});
  runnerOn(process.env.DATABASE_URL ?? '', [
    marking('mark', { first: () => Bun.sleep(20) }),
    marking('poison', { first: () => void process.kill(process.pid, 'SIGKILL') }),
    marking('hang', { first: hang }),
    marking('company', {
      together: true,
      first: ({ payload }) => void (payload.poisonous && process.kill(process.pid, 'SIGKILL')),
    }),
  ]);
}
