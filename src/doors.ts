import { sql } from 'drizzle-orm';
import { api, isOfApi, startingApi } from './api/api.ts';
import { describeApi } from './api/document.ts';
import type { Readiness } from './api/health.ts';
import { application, startingApplication } from './app/app.tsx';
import type { InstallationKey } from './base/installation-key.ts';
import { describeError, log } from './base/log.ts';
import { sealsOf } from './base/seal.ts';
import type { Settings } from './config.ts';
import { eventTypes, jobKinds } from './contents.ts';
import type { Installation } from './doctor/installation.ts';
import { documents, isOfDocuments } from './documents/documents.tsx';
import { openFresh } from './events/fresh.ts';
import { byPath } from './http/door.ts';
import { listen } from './http/listen.ts';
import type { Ports } from './http/ports.ts';
import { insistsOnHttps } from './http/strict-transport.ts';
import { startRunner } from './jobs/runner.ts';
import { openPost } from './mail/post.ts';
import { exposeMetrics } from './metrics/expose.ts';
import type { Metrics } from './metrics/metrics.ts';
import { withCluster } from './postgres/citus/database.ts';
import type { Address } from './postgres/connection.ts';
import { type Database, openDatabase } from './postgres/pool.ts';
import { statement } from './postgres/statement.ts';
import { keepStatistics } from './postgres/statistics.ts';
import { sealStored } from './sign-in/sealed.ts';
import { hearCommits } from './webhooks/heard.ts';
import { sealWebhooks } from './webhooks/sealed.ts';
import { openSender } from './webhooks/sender.ts';
import { webhooksOf } from './webhooks/webhooks.ts';

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

/** What answers at the ports of a server before its database is ready: 503. */
export type Doors = {
  url: string;
  /** Starts work on a migrated database. An installation's key signs the audit log. */
  start(address: Address, installation?: Installation): Server;
  stop(drainSeconds?: number): Promise<void>;
};

/**
 * Lets the doors answer at open ports, and prepares all of them that needs no database. `countWith`
 * keeps the metrics.
 */
export const openDoors = (
  settings: Settings,
  ports: Ports,
  countWith?: (inFlight: () => number) => Metrics,
): Doors => {
  const starting = byPath(isOfApi, startingApi(), startingApplication());
  const listener = listen(
    ports.callers,
    starting,
    (answered) => metrics?.answered(answered),
    insistsOnHttps(settings),
  );
  const metrics = countWith?.(() => listener.inFlight());
  const exposed = metrics && ports.metrics && exposeMetrics(ports.metrics, metrics);
  let stopping: Promise<void> | undefined;
  let end = (_drainSeconds: number) => listener.close();

  let found: Address = '';
  const database = withCluster(openDatabase(() => found, settings.databaseConnections));
  // What it contains is known at the start.
  const installation: Installation = {
    ownPorts: () => [listener.url, exposed?.url].flatMap((url) => (url ? portOf(url) : [])),
  };
  let whyNotReady: Readiness = async () => 'The server is starting.';
  const { app, live } = application(database, settings, installation);
  const fresh = openFresh(database, () => installation.key);
  const webhooks = webhooksOf(eventTypes, settings, {
    keyOf: () => installation.key,
    ownPorts: installation.ownPorts,
  });
  const door = api(database, settings, () => whyNotReady(), fresh, webhooks);
  const ready = byPath(
    isOfDocuments,
    documents(settings, () => describeApi(door)),
    byPath(isOfApi, door, app),
  );
  ready.compile();

  const start = (address: Address, known: Installation = {}): Server => {
    found = address;
    Object.assign(installation, known);
    const sender = openSender(database, webhooks, fresh);
    const heard = hearCommits(database, fresh);
    const { mail: account, publicUrl } = settings;
    const post = openPost({ database, account, publicUrl, seals: sealsOf(installation.key) });
    const kinds = [...jobKinds(settings, installation.key, sender), post.job];
    const runner = startRunner(database, kinds, (ended) => metrics?.ended(ended));
    const statistics = keepStatistics(database, address);
    if (known.key) sealLater(database, known.key);
    metrics?.watch(database);
    const answers = askNow(database);
    whyNotReady = async () => {
      if (stopping) return 'The server is stopping.';
      if (!(await answers())) return 'The database does not answer.';
      if (runner.beatAgeMilliseconds() > stuckAfterMilliseconds)
        return 'Background work has stopped.';
      return undefined;
    };
    listener.answerWith(ready);
    end = async (drainSeconds) => {
      listener.letGo();
      live.close();
      heard.close();
      sender.close();
      fresh.close();
      await Bun.sleep(drainSeconds * 1000);
      await Promise.all([listener.close(), runner.stop(), post.stop(), statistics.stop()]);
      await sender.end();
      await fresh.end();
      await database.close();
      await exposed?.close();
    };
    return { url: listener.url, metricsUrl: exposed?.url, database, stop };
  };

  const stop = (drainSeconds = settings.drainSeconds) => (stopping ??= end(drainSeconds));
  return { url: listener.url, start, stop };
};

/** Secrets of a time without a key are sealed at the first start with one. No start waits or fails. */
const sealLater = (database: Database, key: InstallationKey) => {
  sealStored(database, key)
    .then((count) => count > 0 && log('info', 'second factors sealed', { count }))
    .catch((error) => log('warn', 'second factors not sealed', describeError(error)));
  sealWebhooks(database, key)
    .then((count) => count > 0 && log('info', 'secrets of webhooks sealed', { count }))
    .catch((error) => log('warn', 'secrets of webhooks not sealed', describeError(error)));
};

const portOf = (url: string) => {
  const { port, protocol } = new URL(url);
  return Number(port || (protocol === 'https:' ? 443 : 80));
};

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
