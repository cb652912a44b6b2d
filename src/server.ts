import { sql } from 'drizzle-orm';
import { api, isOfApi, startingApi } from './api/api.ts';
import { application, startingApplication } from './app/app.tsx';
import { describeError, flushLog, log } from './base/log.ts';
import type { Settings } from './config.ts';
import { jobKinds } from './contents.ts';
import type { Installation } from './doctor/installation.ts';
import { byPath } from './http/door.ts';
import { listen } from './http/listen.ts';
import { startRunner } from './jobs/runner.ts';
import { exposeMetrics } from './metrics/expose.ts';
import { openMetrics } from './metrics/metrics.ts';
import type { Address } from './postgres/connection.ts';
import { type Database, openDatabase } from './postgres/pool.ts';
import { inItsForm } from './postgres/spread/database.ts';
import { statement } from './postgres/statement.ts';

/** A running server. */
export type Server = {
  /** Where it listens, for example `http://127.0.0.1:3000`. */
  url: string;
  /**
   * Where its metrics are, for example `http://127.0.0.1:9464/metrics`; undefined if they are off.
   */
  metricsUrl: string | undefined;
  database: Database;
  /** Answers for this many more seconds, finishes what is under way, and closes the database. */
  stop(drainSeconds?: number): Promise<void>;
};

type Where = { host: string; port: number };

/**
 * The ports of a server before its database is ready. Until then requests are answered with 503.
 */
export type Doors = {
  url: string;
  /** Starts work on a migrated database. An installation's key signs the audit log. */
  start(address: Address, installation?: Installation): Server;
  stop(drainSeconds?: number): Promise<void>;
};

/** Opens the ports. Throws `Refusal` if one is taken or may not be opened. */
export const openDoors = (settings: Settings, where: Where): Doors => {
  const { metricsAddress } = settings;
  const metrics = metricsAddress && openMetrics(() => listener.inFlight());
  const starting = byPath(isOfApi, startingApi(), startingApplication());
  const listener = listen({ ...where, tls: settings.tls }, starting, (answered) =>
    metrics?.answered(answered),
  );
  const exposed = metrics && exposeMetrics(metricsAddress, metrics);
  let stopping: Promise<void> | undefined;
  let end = (_drainSeconds: number) => listener.close();

  const start = (address: Address, installation: Installation = {}): Server => {
    const database = inItsForm(openDatabase(address, settings.databaseConnections));
    const runner = startRunner(database, jobKinds(installation.key), (ended) =>
      metrics?.ended(ended),
    );
    metrics?.watch(database);
    const answers = askNow(database);
    const whyNotReady = async () => {
      if (stopping) return 'The server is stopping.';
      if (!(await answers())) return 'The database does not answer.';
      if (runner.beatAgeMilliseconds() > stuckAfterMilliseconds)
        return 'Background work has stopped.';
      return undefined;
    };
    const { app, live } = application(database, settings, installation);
    listener.answerWith(byPath(isOfApi, api(database, settings, whyNotReady), app));
    end = async (drainSeconds) => {
      listener.letGo();
      live.close();
      await Bun.sleep(drainSeconds * 1000);
      await Promise.all([listener.close(), runner.stop()]);
      await database.close();
      await exposed?.close();
    };
    return { url: listener.url, metricsUrl: exposed?.url, database, stop };
  };

  const stop = (drainSeconds = settings.drainSeconds) => (stopping ??= end(drainSeconds));
  return { url: listener.url, start, stop };
};

/** Starts the doors and the job runner on a migrated database. Throws as `openDoors` does. */
export const startServer = (
  address: Address,
  settings: Settings,
  where: Where,
  installation?: Installation,
): Server => openDoors(settings, where).start(address, installation);

const stuckAfterMilliseconds = 10_000;
const answerWithinMilliseconds = 800;

const ping = statement(() => sql`select 1`);

/**
 * Asks whether the database answers now: one question for all who want to know, with a short limit.
 */
const askNow = (database: Database) => {
  let asking: Promise<boolean> | undefined;
  const ask = async () => {
    const answer = database.run(ping).then(
      () => true,
      () => false,
    );
    answer.finally(() => (asking = undefined));
    return answer;
  };
  return () =>
    Promise.race([(asking ??= ask()), Bun.sleep(answerWithinMilliseconds).then(() => false)]);
};

/**
 * Keeps the process alive through failures of a single connection. After any other unhandled
 * failure, ends it in order: committed work is safe, and a service manager starts the process
 * again.
 */
export const guardProcess = (stop: () => Promise<void>) => {
  process.on('unhandledRejection', (error) => logUnlooked(error));
  process.on('uncaughtException', (error) => {
    logUnlooked(error);
    if (/node_modules\/postgres|postgres\/src/.test(String(error?.stack))) return;
    setTimeout(() => process.exit(1), 1_000).unref();
    stop().finally(() => process.exit(1));
  });
};

const logUnlooked = (error: unknown) => {
  log('error', 'failure where nobody looked', describeError(error));
  flushLog();
};
