import { sql } from 'drizzle-orm';
import { api } from './api/api.ts';
import { log } from './base/log.ts';
import { invalid } from './base/refusal.ts';
import type { Settings } from './config.ts';
import { jobKinds } from './contents.ts';
import { startRunner } from './jobs/runner.ts';
import type { Address } from './postgres/connection.ts';
import { type Database, openDatabase } from './postgres/pool.ts';
import { statement } from './postgres/statement.ts';

export type Server = {
  /** Where it listens, such as `http://127.0.0.1:3000`. */
  url: string;
  database: Database;
  /** Answers what is under way, finishes jobs under way, then closes the database. */
  stop(): Promise<void>;
};

// A client that never reads its answer must not keep the server from stopping.
const drainMilliseconds = 10_000;

/**
 * Starts the doors and the job runner on a migrated database. Throws `Refusal` when the port is
 * taken or may not be opened.
 */
export const startServer = (
  address: Address,
  settings: Settings,
  door: { host: string; port: number },
): Server => {
  const database = openDatabase(address, settings.databaseConnections);
  let stopping = false;
  const isReady = async () => !stopping && (await answers(database));
  const app = api(database, settings, isReady);
  listen(app, door);
  const runner = startRunner(database, jobKinds);
  return {
    url: `http://${door.host.includes(':') ? `[${door.host}]` : door.host}:${app.server?.port}`,
    database,
    async stop() {
      stopping = true;
      const { server } = app;
      await Promise.race([app.stop(), Bun.sleep(drainMilliseconds)]);
      await server?.stop(true);
      await runner.stop();
      await database.close();
    },
  };
};

const listen = (app: ReturnType<typeof api>, { host, port }: { host: string; port: number }) => {
  try {
    app.listen({
      hostname: host,
      port,
      reusePort: false,
      development: false,
      idleTimeout: 30,
      // The limits are ours (api/body.ts), answered in the envelope: Bun's own answer has no body
      // at all. What is not read of a request Bun drops as it comes, without keeping it.
      maxRequestBodySize: Number.MAX_SAFE_INTEGER,
    });
  } catch (error) {
    const { code } = error as { code?: string };
    if (code === 'EADDRINUSE') {
      throw invalid(
        `Port ${port} is taken by another program. Stop that one, or choose another with --port.`,
      );
    }
    if (code === 'EACCES') {
      throw invalid(
        `Port ${port} may not be opened by this user. Choose one above 1023 with --port.`,
      );
    }
    throw error;
  }
};

const ping = statement(() => sql`select 1`);

const answers = (database: Database) =>
  database.run(ping).then(
    () => true,
    () => false,
  );

/**
 * Keeps the process alive through failures that belong to one connection, and ends it in order
 * when something else fails where nobody looked: what is committed is safe, and a service manager
 * starts it again.
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

const logUnlooked = (error: unknown) =>
  log('error', 'failure where nobody looked', {
    error: error instanceof Error ? error.stack : typeof error,
  });
