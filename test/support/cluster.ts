/**
 * A cluster of Citus for tests. TEST_CITUS_URL has the addresses of its nodes, the coordinator first, with
 * commas between them, with two workers at least; databases are made and dropped there, so each names a superuser:
 * postgres://postgres@127.0.0.1:5601/postgres,postgres://postgres@127.0.0.1:5602/postgres
 *
 * If TEST_DATABASE_URL names its coordinator, all tests run on spread databases.
 */
import postgres from 'postgres';

/** The nodes' addresses, the coordinator's first; empty if there is no cluster. */
export const nodes = (process.env.TEST_CITUS_URL ?? '').split(',').filter(Boolean);

const hostOf = (address: string) => new URL(address).host;

const [coordinator] = nodes;
const given = process.env.TEST_DATABASE_URL;

/** Whether the tests' databases are spread. */
export const areSpread = Boolean(coordinator && given && hostOf(coordinator) === hostOf(given));

/** The address of this database on a node. */
export const within = (address: string, name: string) => {
  const url = new URL(address);
  url.pathname = `/${name}`;
  return url.href;
};

/** A database's address on each node, the one given first; on a single Postgres only that. */
export const onEveryNode = (address: string): string[] =>
  areSpread
    ? [address, ...nodes.slice(1).map((node) => within(node, new URL(address).pathname.slice(1)))]
    : [address];

/** Does the work on each node, one after the other. */
export const onEach = async (
  addresses: string[],
  work: (sql: postgres.Sql) => Promise<unknown>,
): Promise<void> => {
  for (const address of addresses) {
    const sql = postgres(address, { max: 1, onnotice: () => {} });
    await work(sql).finally(() => sql.end());
  }
};

/** An empty database on every node of the cluster. Gives the coordinator's address. */
export const databaseOnCluster = async (name: string): Promise<string> => {
  await onEach(nodes, (sql) => sql.unsafe(`create database ${name}`));
  const all = nodes.map((node) => within(node, name));
  await onEach(all, (sql) => sql.unsafe('create extension citus'));
  const [first = '', ...workers] = all;
  await onEach([first], async (sql) => {
    const { hostname, port } = new URL(first);
    await sql`select citus_set_coordinator_host(${hostname}, ${Number(port)})`;
    for (const worker of workers.map((one) => new URL(one))) {
      await sql`select citus_add_node(${worker.hostname}, ${Number(worker.port)})`;
    }
  });
  return first;
};

/** A copy of a spread database, which nobody can use from then on. */
export const copyOnCluster = (name: string, template: string): Promise<void> =>
  onEach(nodes, async (sql) => {
    await sql.unsafe(`alter database ${template} allow_connections false`);
    // Citus itself uses every database that it is in.
    const users = () => sql`
      select pg_terminate_backend(pid, 5000) from pg_stat_activity where datname = ${template}`;
    while ((await users()).length > 0);
    await sql.unsafe(`create database ${name} template ${template}`);
  });

/** Drops a database on every node. */
export const dropOnCluster = (name: string): Promise<void> =>
  onEach(nodes, (sql) => sql.unsafe(`drop database if exists ${name} with (force)`));
