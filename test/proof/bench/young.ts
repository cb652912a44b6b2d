/**
 * A young database: how fast a lead and a page are read from two seconds after the last of 20,000 creates
 * on, beside a settled one: `bun test/proof/bench/young.ts [--postgres URL]… [--executable FILE] [--leads N]
 * [--unmended]`. Each URL names a server of Postgres where autovacuum should be off, and has rows of its own;
 * without one, an own server is started. What the program itself does for the statistics is all that
 * happens to the young database. With `--unmended` it does nothing there: the fault that the measure must find.
 *
 * Both databases have the same history, each with a server of its own on the same Postgres: some leads,
 * some thousand reads, the many creates. Otherwise what a server has compiled, prepared and collected
 * meanwhile would count too: measured one after the other, the second one is faster. They are asked in
 * turn, a quarter of a second each (young, settled, settled, young): what else the machine does meets both.
 * Announcing the leads begins a minute after each was made, on a slow machine before the last is made. It
 * is work of its own, and comes an hour later in both. Processor time is the program's and Postgres's.
 */
import { parseArgs } from 'node:util';
import { connect } from '../../support/database.ts';
import { type LoadRequest, measure, median } from './load.ts';
import { cpuSecondsOf, postmasterOf } from './processes.ts';
import { foundFirmIn, setStage, startServerOn } from './stage.ts';

type Asked = { name: string; young: Load; settled: Load };
/** What was answered meanwhile, and the processor time that it took, where it is known. */
type Load = { requests: number; wallSeconds: number; cpuSeconds: number };

/** What was asked of one Postgres, in rounds, the first one two seconds after the last create. */
export type Young = {
  postgres: string;
  rounds: Asked[][];
  /** Seconds of processor time a second before that, while nobody asked. */
  atRest: { young: number; settled: number };
};

type Sizes = { executable: string; leads: number; rounds: number; isUnmended?: boolean };

const afterSeconds = 2;
const sliceSeconds = 0.25;
const warmRequests = 4_000;
const firstLeads = 200;
const clients = 16;

/** Fills a fresh database, which settles, and then another one, and measures both. Drops them. */
export const measureYoung = (postgres: string, sizes: Sizes): Promise<Young> =>
  onPostgres(postgres, (settledUrl) =>
    onPostgres(postgres, async (youngUrl) => {
      const settled = await fill(settledUrl, { ...sizes, isUnmended: false });
      await settle(settledUrl);
      const settledAtRest = await settled.cpuOfASecond();
      const young = await fill(youngUrl, sizes);
      await Bun.sleep((afterSeconds - 1) * 1000);
      const atRest = { young: await young.cpuOfASecond(), settled: settledAtRest };
      const rounds: Asked[][] = [];
      for (let round = 0; round < sizes.rounds; round += 1) {
        const asked: Asked[] = [];
        for (const name of cases) {
          const first = await young.ask(name, sliceSeconds);
          const ofSettled = await settled.ask(name, 2 * sliceSeconds);
          const last = await young.ask(name, sliceSeconds);
          asked.push({ name, young: sumOf(first, last), settled: ofSettled });
        }
        rounds.push(asked);
      }
      await Promise.all([young.stop(), settled.stop()]);
      return { postgres: young.version, rounds, atRest };
    }),
  );

const cases = ['read a lead', 'page of 20'] as const;

const sumOf = (one: Load, other: Load): Load => ({
  requests: one.requests + other.requests,
  wallSeconds: one.wallSeconds + other.wallSeconds,
  cpuSeconds: one.cpuSeconds + other.cpuSeconds,
});

/** A server on this database, which has read a little and created much; and how it is asked. */
const fill = async (databaseUrl: string, { executable, leads, isUnmended }: Sizes) => {
  const server = await startServerOn(executable, databaseUrl);
  const { key } = await foundFirmIn(databaseUrl, 'Young firm');
  const sql = connect(databaseUrl);
  await sql.unsafe(announcesLater + (isUnmended ? findsNoneGrown : ''));
  const [told] = await sql<{ version: string; pid: number }[]>`
    select current_setting('server_version') as version, pg_backend_pid() as pid`;
  const postmaster = postmasterOf(told?.pid ?? 0);
  await sql.end();
  const cpuSeconds = () => cpuSecondsOf(server.pid) + cpuSecondsOf(postmaster);

  const ids: string[] = [];
  const get = (path: string): LoadRequest => ({ method: 'GET', path: `/v1/${path}`, key });
  const requestsOf = (name: string) => {
    if (name === 'page of 20') return [get('leads?limit=20')];
    const every = Math.ceil(ids.length / 200);
    return ids.filter((_, at) => at % every === 0).map((id) => get(`leads/${id}`));
  };
  const ask = async (name: string, seconds: number): Promise<Load> => {
    const before = cpuSeconds();
    const measured = await measure(server.address, requestsOf(name), clients, seconds);
    if (measured.failed > 0) throw new Error(`${name}: ${measured.failed} were refused.`);
    const { requests, perSecond } = measured;
    return { requests, wallSeconds: requests / perSecond, cpuSeconds: cpuSeconds() - before };
  };

  ids.push(...(await createLeads(server.address, key, firstLeads)));
  for (const name of cases) {
    for (let asked = 0; asked < warmRequests; asked += (await ask(name, sliceSeconds)).requests);
  }
  ids.push(...(await createLeads(server.address, key, leads)));
  const cpuOfASecond = async () => {
    const before = cpuSeconds();
    await Bun.sleep(1000);
    return cpuSeconds() - before;
  };
  return { version: told?.version ?? '', ask, cpuOfASecond, stop: server.stop };
};

const announcesLater = `
  create function announce_later() returns trigger language plpgsql as $$
    begin new.run_at = new.run_at + interval '1 hour'; return new; end $$;
  create trigger announce_later before insert on job for each row
    when (new.kind = 'lead_announce') execute function announce_later();`;

// drizzle/0023_statistics_of_grown_tables.sql
const findsNoneGrown = `
  create or replace function grown_table() returns regclass language sql as 'select null::regclass';`;

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
};

/** What was measured, as Markdown. Of settled: the median of the rounds; what the first had; by processor time. */
export const ofYoung = (found: Young[]): string =>
  [
    '| Postgres | two seconds after the last create | a second | settled | of settled | in the first round | ms of CPU | settled | of settled |',
    '| --- | --- | --- | --- | --- | --- | --- | --- | --- |',
    ...found.flatMap(({ postgres, rounds, atRest }) => [
      ...cases.map((name, at) => {
        const asked = rounds.flatMap((round) => round[at] ?? []);
        const ratios = asked.map(({ young, settled }) => rateOf(young) / rateOf(settled));
        const [young, settled] = (['young', 'settled'] as const).map((which) => ({
          perSecond: median(asked.map((one) => rateOf(one[which]))),
          cpu: costOf(asked.map((one) => one[which]).reduce(sumOf)),
        })) as [Shown, Shown];
        const cells = [
          postgres,
          name,
          young.perSecond.toFixed(0),
          settled.perSecond.toFixed(0),
          median(ratios).toFixed(2),
          ratios[0]?.toFixed(2),
          figure(young.cpu, 3),
          figure(settled.cpu, 3),
          figure(settled.cpu / young.cpu, 2),
        ];
        return `| ${cells.join(' | ')} |`;
      }),
      `| ${postgres} | a second when nobody asks | | | | | ${figure(atRest.young * 1000, 0)} | ${figure(atRest.settled * 1000, 0)} | |`,
    ]),
  ].join('\n');

type Shown = { perSecond: number; cpu: number };

const rateOf = ({ requests, wallSeconds }: Load) => requests / wallSeconds;
const costOf = ({ requests, cpuSeconds }: Load) => (cpuSeconds * 1000) / requests;
const figure = (value: number, digits: number) =>
  Number.isNaN(value) ? '–' : value.toFixed(digits);

/** Nobody but the server looks after the statistics from now on. */
export const withoutAutovacuum = async (server: string) => {
  const sql = connect(server);
  await sql.unsafe('alter system set autovacuum = off');
  await sql`select pg_reload_conf()`;
  await sql.end();
};

/** Does the work on a fresh database of a running Postgres, which is dropped afterwards. */
const onPostgres = async <Value>(
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
      postgres: { type: 'string', multiple: true },
      executable: { type: 'string', default: 'dist/matterhorn' },
      leads: { type: 'string', default: '20000' },
      rounds: { type: 'string', default: '9' },
      unmended: { type: 'boolean', default: false },
    },
  });
  const { executable, leads, rounds, unmended: isUnmended } = flags;
  const sizes = { executable, leads: Number(leads), rounds: Number(rounds), isUnmended };
  const stage = flags.postgres ? undefined : await setStage();
  if (stage) await withoutAutovacuum(stage.url);
  try {
    const found: Young[] = [];
    for (const url of flags.postgres ?? [stage?.url ?? '']) {
      found.push(await measureYoung(url, sizes));
    }
    console.log(ofYoung(found));
  } finally {
    await stage?.clear();
  }
  process.exit(0);
}
