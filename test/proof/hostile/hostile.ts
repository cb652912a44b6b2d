/**
 * Hostile clients against a server of their own: `bun run hostile [--requests N] [--seed S]`,
 * `[--from N]` to begin with that mutated request, `[--only NAME]` for some of the attacks. Sends
 * mutated requests, expensive bodies, slow and half-open connections and wrong keys, while honest
 * clients keep a steady pace. Ends with 1 if a promise is broken.
 */
import { parseArgs } from 'node:util';
import { halfOpen, mutations, wrongKeys } from './attacks.ts';
import { dearBodies, hugeBodies } from './bodies.ts';
import { costs } from './costs.ts';
import { hostileForms } from './forms.ts';
import { startMeter } from './meters.ts';
import { milliseconds, openReport } from './report.ts';
import { missingLeads, readLog, unprovenAudit, unsoundLists } from './sound.ts';
import { makeMarkedFirm, setHostileStage } from './stage.ts';

const { values: flags } = parseArgs({
  options: {
    requests: { type: 'string', default: '20000' },
    full: { type: 'boolean', default: false },
    connections: { type: 'string', default: '8000' },
    seed: { type: 'string', default: '1' },
    from: { type: 'string', default: '0' },
    only: { type: 'string', default: '' },
    executable: { type: 'string' },
  },
});
const requests = flags.full ? 1_000_000 : Number(flags.requests);
const seed = Number(flags.seed);
const connections = Number(flags.connections);
const from = Number(flags.from);
const isSmall = requests <= 10_000;

const report = openReport();
const stage = await setHostileStage(flags.executable);
let isKept = false;
try {
  const server = await stage.serve({ RATE_LIMIT: 'off' });
  const { url, seen } = server;
  const attacker = await makeMarkedFirm(stage.url, url, `zxattacker${seed}q`);
  const honest = await makeMarkedFirm(stage.url, url, `zxhonest${seed}q`);
  const asHonest = {
    kind: 'honest' as const,
    key: honest.key,
    marker: honest.marker,
    foreignMarker: attacker.marker,
  };
  const pings = startMeter({ kind: 'pings', url });
  const pace = startMeter({ ...asHonest, url });
  await pace.over(2_000);
  const created: [string, string][] = [];
  const note = (taken: Awaited<ReturnType<typeof pace.take>>) => created.push(...taken.created);

  await pings.take();
  const idle = await pace.over(isSmall ? 3_000 : 10_000);
  const still = await pings.take();
  note(idle);
  const held = await seen.now();
  report.state('idle', 'honest p50, p99', [idle.p50, idle.p99].map(milliseconds).join(', '));
  report.state('idle', 'longest wait of a ping', milliseconds(still.longest));
  report.state('idle', 'memory', `${held} MiB`);

  const scene = {
    databaseUrl: stage.url,
    url,
    seen,
    attacker,
    honest,
    pings,
    pace,
    report,
    idle,
    note,
    hasTurns: !flags.executable,
    isSmall,
  };

  const attacks = {
    bodies: () => dearBodies(scene),
    connections: () => halfOpen(scene, connections),
    mutations: () => mutations(scene, { from, requests, seed }),
    forms: () => hostileForms(scene, { from, requests: Math.ceil(requests / 10), seed }),
    costs: () => costs(scene),
    'bodies at once': () => hugeBodies(scene),
  };
  for (const [name, attack] of Object.entries(attacks))
    if (name.includes(flags.only)) await attack();
  note(await pace.take());
  pace.stop();
  pings.stop();

  const ended = await server.ended();
  report.promise('afterwards', 'the server is the same process', ended ?? 'alive', !ended);
  if (ended) throw new Error('The server did not survive.');
  const missing = await missingLeads(url, honest, created);
  const of = `${missing.length} of ${created.length}`;
  report.promise('afterwards', 'acknowledged leads missing or changed', of, missing.length === 0);
  await Bun.sleep(5_000);
  for (const [whose, firm] of [
    ['attacked', attacker],
    ['honest', honest],
  ] as const) {
    const wrong = [...(await unsoundLists(url, firm)), ...(await unprovenAudit(stage.url, firm))];
    report.detail(wrong);
    const what = `${whose} firm: lists hold what their totals say, audit verify passes`;
    report.promise('afterwards', what, `${wrong.length} wrong`, wrong.length === 0);
  }
  const strict = await stage.serve({});
  if ('wrong keys'.includes(flags.only))
    await wrongKeys({ ...scene, url: strict.url, seen: strict.seen }, asHonest);

  for (const { log } of [server, strict]) {
    const secret = new RegExp(`${attacker.marker}|${honest.marker}|mh_[0-9A-Za-z]{36}|Quill`, 'i');
    const { lines, failures, telling, warnings } = await readLog(log, secret);
    report.detail([...telling.slice(0, 5), ...failures.slice(0, 5)]);
    const told = `${telling.length} of ${lines}`;
    report.promise('log', 'lines with names, addresses or keys', told, telling.length === 0);
    const warned = [...warnings].map(([what, count]) => `${what}: ${count}`).join(', ');
    report.state('log', 'warnings', warned || 'none');
    report.promise(
      'log',
      'lines of failures but for 503 and jobs that come again',
      failures.length,
      failures.length === 0,
    );
  }
  isKept = report.print();
} finally {
  await stage.clear();
}
process.exit(isKept ? 0 : 1);
