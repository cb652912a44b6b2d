/**
 * A young database: how fast a lead and a page are read two seconds after the last of 20,000 creates,
 * beside the same server and database once they are settled:
 * `bun test/proof/bench/young.ts [--postgres URL] [--executable FILE] [--leads N]`. The database is a fresh
 * one of the server that the URL names, where autovacuum should be off; else of one of its own. What
 * the server itself does for its statistics is all that happens to it before it is settled.
 */
import { parseArgs } from 'node:util';
import { connect } from '../../support/database.ts';
import { type LoadRequest, measure, median } from './load.ts';
import { foundFirmIn, setStage, startServerOn } from './stage.ts';

/** Requests per second of one kind: two seconds after the last create, and settled. */
export type Young = { name: string; young: number; settled: number };

const afterSeconds = 2;
const clients = 16;
const rounds = 3;

/** Fills a fresh database through a server of its own, and measures both. */
export const measureYoung = async (
  databaseUrl: string,
  { executable, leads, seconds }: { executable: string; leads: number; seconds: number },
): Promise<Young[]> => {
  const server = await startServerOn(executable, databaseUrl);
  const { key } = await foundFirmIn(databaseUrl, 'Young firm');
  const ids = await createLeads(server.address, key, leads);
  const get = (path: string): LoadRequest => ({ method: 'GET', path: `/v1/${path}`, key });
  const every = Math.ceil(ids.length / 200);
  const asked = [
    {
      name: 'read a lead',
      requests: ids.filter((_, at) => at % every === 0).map((id) => get(`leads/${id}`)),
    },
    { name: 'page of 20', requests: [get('leads?limit=20')] },
  ];
  const perSecond = async () => {
    const all: number[][] = asked.map(() => []);
    for (let round = 0; round < rounds; round += 1)
      for (const [at, { name, requests }] of asked.entries()) {
        const measured = await measure(server.address, requests, clients, seconds);
        if (measured.failed > 0) throw new Error(`${name}: ${measured.failed} were refused.`);
        all[at]?.push(measured.perSecond);
      }
    return all.map(median);
  };

  await Bun.sleep(afterSeconds * 1000);
  const young = await perSecond();
  await settle(databaseUrl);
  const settled = await perSecond();
  await server.stop();
  return asked.map(({ name }, at) => ({ name, young: young[at] ?? 0, settled: settled[at] ?? 0 }));
};

/** The ids of this many leads, created by as many clients as will later read. */
const createLeads = async (address: string, key: string, count: number): Promise<string[]> => {
  const ids: string[] = [];
  let begun = 0;
  const headers = { authorization: `Bearer ${key}`, 'content-type': 'application/json' };
  const client = async () => {
    while (begun < count) {
      begun += 1;
      const body = JSON.stringify({ firstName: 'Zoe', lastName: `Quill ${begun}` });
      const answer = await fetch(`${address}/v1/leads`, { method: 'POST', headers, body });
      const { data } = (await answer.json()) as { data?: { id: string } };
      if (!data) throw new Error(`A create was answered ${answer.status}.`);
      ids.push(data.id);
    }
  };
  await Promise.all(Array.from({ length: clients }, client));
  return ids;
};

/** Waits until the audit log is sealed, and has Postgres learn all that it can about the tables. */
const settle = async (databaseUrl: string) => {
  const sql = connect(databaseUrl);
  const unsealed = async () =>
    (
      await sql`select from audit_entry where id > (select coalesce(max(entry_id), 0) from audit_seal)
        limit 1`
    ).length;
  while ((await unsealed()) > 0) await Bun.sleep(200);
  await sql`vacuum analyze`;
  await sql.end();
  await Bun.sleep(afterSeconds * 1000);
};

/** What was measured, as Markdown. */
export const ofYoung = (found: Young[]): string =>
  [
    '| two seconds after the last create | a second | settled | of settled |',
    '| --- | --- | --- | --- |',
    ...found.map(
      ({ name, young, settled }) =>
        `| ${name} | ${young.toFixed(0)} | ${settled.toFixed(0)} | ${(young / settled).toFixed(2)} |`,
    ),
  ].join('\n');

/** Nobody but the server looks after the statistics from now on. */
export const withoutAutovacuum = async (server: string) => {
  const sql = connect(server);
  await sql.unsafe('alter system set autovacuum = off');
  await sql`select pg_reload_conf()`;
  await sql.end();
};

/** Does the work on a fresh database of a running Postgres, which is dropped afterwards. */
export const onPostgres = async <Value>(
  server: string,
  work: (databaseUrl: string) => Promise<Value>,
): Promise<Value> => {
  const name = `young_${Bun.randomUUIDv7().replaceAll('-', '')}`;
  const sql = connect(server);
  await sql.unsafe(`create database ${name}`);
  const url = new URL(server);
  url.pathname = name;
  try {
    return await work(url.href);
  } finally {
    await sql.unsafe(`drop database ${name} with (force)`);
    await sql.end();
  }
};

if (import.meta.main) {
  const { values: flags } = parseArgs({
    options: {
      postgres: { type: 'string' },
      executable: { type: 'string', default: 'dist/matterhorn' },
      leads: { type: 'string', default: '20000' },
    },
  });
  const { executable, leads } = flags;
  const sizes = { executable, leads: Number(leads), seconds: 1 };
  const stage = flags.postgres ? undefined : await setStage();
  if (stage) await withoutAutovacuum(stage.url);
  try {
    const found = await onPostgres(flags.postgres ?? stage?.url ?? '', (url) =>
      measureYoung(url, sizes),
    );
    console.log(ofYoung(found));
  } finally {
    await stage?.clear();
  }
  process.exit(0);
}
