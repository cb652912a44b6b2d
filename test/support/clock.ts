/**
 * The clocks in a test's hands: a database's stops, steps and runs, for every instance at once; that
 * of this process steps.
 */
import type postgres from 'postgres';
import { atEnd } from './at-end.ts';
import { onEveryNode } from './cluster.ts';
import { connect, setMoment } from './database.ts';

/** Milliseconds since 1970, as `Date` counts them. */
type Milliseconds = number;

export type Clock = {
  now(): Promise<Milliseconds>;
  /** Puts it at this moment, exactly, and lets it stand there. */
  standAt(at: Milliseconds): Promise<void>;
  /** Moves it by this many seconds, back if negative. It then runs or stops as before. */
  step(seconds: number): Promise<void>;
  /** Lets it run from where it is, this many times as fast as real time. */
  run(pace: number): Promise<void>;
};

/**
 * Takes control of a database's clock, which stops. The clock is a row, so moving it costs one
 * small write and no instance has to plan its statements again. Each node of a cluster has its own.
 * Call it before the instances start.
 */
export const takeClock = async (databaseUrl: string): Promise<Clock> => {
  const [own = connect(databaseUrl), ...others] = onEveryNode(databaseUrl).map((at) => connect(at));
  for (const sql of [own, ...others]) {
    atEnd(() => sql.end());
    await sql.unsafe(`
      ${others.length > 0 ? 'set citus.enable_ddl_propagation = off;' : ''}
      create table clock as select date_trunc('second', now()) as at, now() as since, 0::float8 as pace;
      grant select on clock to public`);
  }
  await setMoment(databaseUrl, '(select at + (clock_timestamp() - since) * pace from clock)');
  const clock = clockWith(own, others);
  if (others.length > 0) await clock.standAt(await clock.now());
  return clock;
};

/** The clock that was taken in this client's database. */
export const clockOf = (sql: postgres.Sql): Clock => clockWith(sql, []);

const clockWith = (own: postgres.Sql, others: postgres.Sql[]): Clock => {
  const onAll = (work: (sql: postgres.Sql) => Promise<unknown>) =>
    Promise.all([own, ...others].map(work));
  return {
    now: async () => {
      const [row] = await own`select (extract(epoch from moment()) * 1000)::float8 as at`;
      return row?.at as number;
    },
    standAt: async (at) => {
      await onAll(
        (sql) =>
          sql`update clock set at = ${new Date(at).toISOString()}, since = clock_timestamp(), pace = 0`,
      );
    },
    step: async (seconds) => {
      await onAll((sql) => sql`update clock set at = at + make_interval(secs => ${seconds})`);
    },
    run: async (pace) => {
      await onAll(
        // Moments are stored in milliseconds, rounded: a stopped clock must not stand just before what is due now.
        (sql) =>
          sql`update clock set at = date_trunc('milliseconds', moment()), since = clock_timestamp(), pace = ${pace}`,
      );
    },
  };
};

const { now } = performance;
let aheadMilliseconds = 0;

/**
 * Steps the clock of this process, by which it measures how long it has waited. It never goes back.
 * What waits at this moment has then waited so much longer: let nothing run beside it.
 */
export const stepProcess = (seconds: number): void => {
  aheadMilliseconds += seconds * 1000;
  performance.now = () => now.call(performance) + aheadMilliseconds;
};
