/** A database's clock in a test's hands: it stops, steps and runs, for every instance at once. */
import type postgres from 'postgres';
import { atEnd } from './at-end.ts';
import { clockKind, connect } from './database.ts';

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
 * small write and no instance has to plan its statements again. Call it before the instances start.
 */
export const takeClock = async (databaseUrl: string): Promise<Clock> => {
  const sql = connect(databaseUrl);
  atEnd(() => sql.end());
  await sql.unsafe(`
    create table clock as select date_trunc('second', now()) as at, now() as since, 0::float8 as pace;
    create or replace function moment() returns timestamptz language sql ${clockKind} parallel restricted
      return (select at + (clock_timestamp() - since) * pace from clock);
    grant select on clock to public`);
  return clockOf(sql);
};

/** The clock that was taken in this client's database. */
export const clockOf = (sql: postgres.Sql): Clock => {
  const now = async () => {
    const [row] = await sql`select (extract(epoch from moment()) * 1000)::float8 as at`;
    return row?.at as number;
  };
  return {
    now,
    standAt: async (at) => {
      await sql`update clock set at = ${new Date(at).toISOString()}, since = clock_timestamp(), pace = 0`;
    },
    step: async (seconds) => {
      await sql`update clock set at = at + make_interval(secs => ${seconds})`;
    },
    run: async (pace) => {
      await sql`update clock set at = moment(), since = clock_timestamp(), pace = ${pace}`;
    },
  };
};
