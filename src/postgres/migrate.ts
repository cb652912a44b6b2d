import { join } from 'node:path';
import { drizzle } from 'drizzle-orm/postgres-js';
import { migrate as applyMigrations } from 'drizzle-orm/postgres-js/migrator';
import postgres from 'postgres';
import { Refusal } from '../base/refusal.ts';
import { type Address, answerDeadlineMilliseconds } from './connection.ts';

const compiled = import.meta.dir.startsWith('/$bunfs/') || import.meta.dir.startsWith('B:');
const migrationsFolder = join(import.meta.dir, compiled ? 'drizzle' : '../../drizzle');

/** The oldest Postgres that will do. */
export const oldestMajorVersion = 15;

/**
 * Brings the database to this program's schema, under a lock, so that any number of instances may
 * start at once. Throws `Refusal` when Postgres is too old, or the database newer than this program.
 */
export const migrate = async (address: Address): Promise<void> => {
  const options = { max: 1, onnotice: () => {}, connect_timeout: 10 };
  const client =
    typeof address === 'string' ? postgres(address, options) : postgres({ ...address, ...options });
  try {
    await Promise.race([client`set statement_timeout = 0`, noAnswerInTime()]);
    await client`select pg_advisory_lock(hashtext('matterhorn migrations'))`;
    await refuseWrongVersions(client);
    await applyMigrations(drizzle(client), { migrationsFolder });
    await client`select continue_transaction_numbers()`;
  } finally {
    await client.end({ timeout: 5 });
  }
};

// Where something takes connections and ends them, postgres.js dials again without an end.
const noAnswerInTime = async () => {
  await Bun.sleep(answerDeadlineMilliseconds);
  throw Object.assign(new Error('The database does not answer.'), { code: 'CONNECT_TIMEOUT' });
};

const refuseWrongVersions = async (client: postgres.Sql) => {
  const [server] = await client`select current_setting('server_version_num')::int / 10000 as major`;
  if (server?.major < oldestMajorVersion) {
    throw new Refusal(
      'unavailable',
      `This database is PostgreSQL ${server?.major}; Matterhorn needs ${oldestMajorVersion} or newer. Upgrade it, or name another one in DATABASE_URL.`,
    );
  }
  const newestKnown = Math.max(...(await knownMigrations()));
  const [exists] = await client`select to_regclass('drizzle.__drizzle_migrations') as name`;
  if (!exists?.name) return;
  const [applied] =
    await client`select max(created_at)::bigint as newest from drizzle.__drizzle_migrations`;
  if (Number(applied?.newest ?? 0) > newestKnown) {
    throw new Refusal(
      'unavailable',
      'This database was made by a newer Matterhorn. Run that version or a newer one; this one changes nothing in it.',
    );
  }
};

/** When each of this program's migrations was made: they are applied in this order. */
export const knownMigrations = async (): Promise<number[]> => {
  const journal = (await Bun.file(join(migrationsFolder, 'meta/_journal.json')).json()) as {
    entries: { when: number }[];
  };
  return journal.entries.map((entry) => entry.when);
};
