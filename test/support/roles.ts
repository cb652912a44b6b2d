/**
 * The two roles of the tests' databases: servers and commands serve requests as one that owns
 * nothing, as they do on the embedded Postgres, and everything else is done as their owner.
 */
import postgres from 'postgres';
import { readSettings } from '../../src/config.ts';

const role = 'matterhorn_tests_requests';
const password = 'of the tests';

/** Makes the role that serves requests, on a server whose user may. */
export const makeRequestsRole = async (url: string) => {
  const address = readSettings({ DATABASE_URL: url }).database ?? '';
  const options = { max: 1, onnotice: () => {} };
  const sql =
    typeof address === 'string' ? postgres(address, options) : postgres({ ...address, ...options });
  const found = await sql`select from pg_roles where rolname = ${role}`;
  // Each of the many connections would spend milliseconds on a password that guards nothing.
  await sql`select set_config(name, '1', false) from pg_settings where name = 'scram_iterations'`;
  if (found.length === 0) await sql.unsafe(`create role ${role} login password '${password}'`);
  await sql.end();
};

/** How requests reach a database of the tests' server; any other address stays as it is. */
export const requestsOf = (databaseUrl: string) => {
  const server = URL.parse(process.env.TEST_DATABASE_URL ?? '');
  const url = URL.parse(databaseUrl);
  if (!server || !url || url.search !== '') return databaseUrl;
  url.pathname = server.pathname;
  if (url.href !== server.href) return databaseUrl;
  url.pathname = new URL(databaseUrl).pathname;
  url.username = role;
  url.password = password;
  return url.href;
};

/** The environment of a server or a command on a database of the tests' server. */
export const environmentOf = (databaseUrl: string) => ({
  DATABASE_URL: requestsOf(databaseUrl),
  DATABASE_OWNER_URL: databaseUrl,
});

/** Has tables that a test makes itself, as their owner, be of use to requests. */
export const shareNewTables = (sql: postgres.Sql) =>
  sql.unsafe(
    `alter default privileges in schema public grant all on tables to ${role};
     alter default privileges in schema public grant all on sequences to ${role}`,
  );
