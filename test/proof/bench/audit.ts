/**
 * What the audit log's seals and a backlog of jobs cost: `bun test/proof/bench/audit.ts [--seconds N]
 * [--rounds N] [--jobs N] [--entries N]`. Ratios within one run are what counts: with and without alternate.
 */
import { parseArgs } from 'node:util';
import postgres from 'postgres';
import { readSettings } from '../../../src/config.ts';
import { runJson } from '../../support/terminal.ts';
import { measure, median } from './load.ts';
import { setStage } from './stage.ts';

const { values: flags } = parseArgs({
  options: {
    seconds: { type: 'string', default: '10' },
    rounds: { type: 'string', default: '3' },
    jobs: { type: 'string', default: '100000' },
    entries: { type: 'string', default: '200000' },
  },
});
const [seconds, rounds, jobs] = [Number(flags.seconds), Number(flags.rounds), Number(flags.jobs)];

const stage = await setStage();
const address = readSettings({ DATABASE_URL: stage.url }).database;
const sql = postgres({ ...(address as object), max: 1, onnotice: () => {} });

const unsealed = async () =>
  (
    await sql`select (select count(*) from audit_entry) - (select count(*) from audit_seal) as count`
  )[0]?.count;

/** Puts the sealer off, or lets it come at once and as usual from then on. */
const letSeal = (isOn: boolean) =>
  sql`update job set run_at = moment() + ${isOn ? '0 seconds' : '1 hour'}::interval
    where kind = 'audit_seal'`;

const sealAll = async () => {
  await letSeal(true);
  while (Number(await unsealed()) > 0) {
    await Bun.sleep(200);
    await letSeal(true);
  }
};

/** Creates at a steady pace, whatever the answers take; latencies in milliseconds. */
const paced = async (url: string, key: string, perSecond: number, isOver: () => boolean) => {
  const latencies: number[] = [];
  const pending: Promise<void>[] = [];
  const begun = performance.now();
  for (let sent = 0; !isOver(); sent += 1) {
    const due = begun + (sent * 1000) / perSecond;
    if (due > performance.now()) await Bun.sleep(due - performance.now());
    const since = performance.now();
    const call = fetch(`${url}/v1/leads`, {
      method: 'POST',
      headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
      body: '{"lastName":"Quill"}',
    });
    pending.push(
      call
        .then((answer) => answer.text())
        .then(() => {
          latencies.push(performance.now() - since);
        }),
    );
  }
  await Promise.all(pending);
  return latencies;
};

const percentile = (latencies: number[], share: number) =>
  latencies.toSorted((a, b) => a - b)[Math.floor((latencies.length - 1) * share)] ?? 0;

const shown = (milliseconds: number) => milliseconds.toFixed(2);

try {
  const url = await stage.startServer('none');
  const key = await stage.makeFirm('Harrow & Lane', { contacts: 0, leads: 0 });
  await sql`alter table job set (autovacuum_enabled = true)`;
  const body = '{"firstName":"Zoe","lastName":"Quill","email":"zoe@quill.example"}';
  const create = { method: 'POST', path: '/v1/leads', key, body };
  await measure(url, create, 8, 2);

  const runs = { sealed: [] as number[], unsealed: [] as number[] };
  for (let round = 0; round < rounds; round += 1) {
    await letSeal(false);
    runs.unsealed.push((await measure(url, create, 8, seconds)).perSecond);
    await sealAll();
    runs.sealed.push((await measure(url, create, 8, seconds)).perSecond);
    await sealAll();
  }
  const [withSeals, without] = [median(runs.sealed), median(runs.unsealed)];
  console.table([
    {
      'creates/s with the sealer': Math.round(withSeals),
      'creates/s without': Math.round(without),
      ratio: (withSeals / without).toFixed(3),
    },
  ]);

  await sql`delete from job where kind = 'lead_announce'`;
  await sql`insert into audit_entry (firm_id, at, action, record_kind, record_id, request_id, changes)
    select firm_id, at, action, record_kind, record_id, request_id, changes
    from audit_entry, generate_series(1, ${Number(flags.entries)} / (select count(*)::int from audit_entry))`;
  await sealAll();
  const since = performance.now();
  const { firms } = await runJson<{ firms: { entries: number; firstBad: unknown }[] }>(stage.url, [
    'audit',
    'verify',
  ]);
  const took = (performance.now() - since) / 1000;
  const entries = firms[0]?.entries ?? 0;
  console.table([
    {
      entries,
      seconds: shown(took),
      'entries/s': Math.round(entries / took),
      ...(firms[0]?.firstBad as object),
    },
  ]);

  const waiting = async () =>
    (
      await sql`select count(*)::int as count from job where kind = 'lead_announce' and run_at < moment()`
    )[0]?.count;
  const rows = [];
  for (const firmsOfJobs of [1, 1_000]) {
    const [idle, busy, took] = [[] as number[], [] as number[], [] as number[]];
    for (let round = 0; round < rounds; round += 1) {
      const end = performance.now() + 10_000;
      idle.push(...(await paced(url, key, 40, () => performance.now() > end)));
      await sql`insert into firm select gen_random_uuid(), 'Firm ' || gen_random_uuid(), moment()
        from generate_series((select count(*) from firm) + 1, ${firmsOfJobs}::int)`;
      await sql`insert into job (firm_id, kind, dedupe_key, ref, payload, run_at)
        select ids[n % ${firmsOfJobs}::int + 1], 'lead_announce', 'gone ' || n, gen_random_uuid(), '{}',
          moment() - interval '1 minute'
        from generate_series(1, ${jobs}::int) n, (select array_agg(id) as ids from firm) firms`;
      // What came bit by bit, Postgres would already know.
      await sql`analyze job`;
      const begun = performance.now();
      let left = jobs;
      const watching = (async () => {
        while (left > 0 && performance.now() - begun < 120_000) {
          await Bun.sleep(500);
          left = await waiting();
        }
        left = 0;
      })();
      busy.push(...(await paced(url, key, 40, () => left === 0)));
      await watching;
      took.push((performance.now() - begun) / 1000);
      if ((await waiting()) > 0) throw new Error('Jobs were left over.');
      await sql`delete from job where kind = 'lead_announce'`;
      await sql`vacuum job`;
    }
    const [idle99, busy99] = [percentile(idle, 0.99), percentile(busy, 0.99)];
    rows.push({
      firms: firmsOfJobs,
      jobs,
      'worked off in s': shown(median(took)),
      'idle p50/p99': `${shown(percentile(idle, 0.5))} / ${shown(idle99)}`,
      'busy p50/p99': `${shown(percentile(busy, 0.5))} / ${shown(busy99)}`,
      ratio: (busy99 / idle99).toFixed(2),
    });
  }
  console.table(rows);
} finally {
  await sql.end();
  await stage.clear();
}
process.exit();
