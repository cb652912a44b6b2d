/**
 * The server beside the bare yardstick, under the same load on the same database, alternating:
 * `bun run bench [--seconds N] [--rounds N]`. What counts are the ratios; figures of one run only.
 */
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { type Measured, measure, median } from './load.ts';
import { setStage } from './stage.ts';

const { values: flags } = parseArgs({
  options: {
    seconds: { type: 'string', default: '3' },
    rounds: { type: 'string', default: '3' },
    executable: { type: 'string', default: 'dist/matterhorn' },
  },
});
const seconds = Number(flags.seconds);
const rounds = Number(flags.rounds);
const many = 100_000;

type Case = { name: string; clients: number; request: Parameters<typeof measure>[1] };

const compare = async (ours: string, yardstick: string, { name, clients, request }: Case) => {
  const runs: [Measured[], Measured[]] = [[], []];
  for (const address of [ours, yardstick]) await measure(address, request, clients, 1);
  for (let round = 0; round < rounds; round += 1) {
    runs[0].push(await measure(ours, request, clients, seconds));
    runs[1].push(await measure(yardstick, request, clients, seconds));
  }
  const of = (list: Measured[], part: keyof Measured) => median(list.map((one) => one[part]));
  const [mine, theirs] = runs.map((list) => of(list, 'perSecond')) as [number, number];
  const failed = [...runs[0], ...runs[1]].reduce((sum, one) => sum + one.failed, 0);
  return {
    case: name,
    clients,
    'server/s': Math.round(mine),
    'yardstick/s': Math.round(theirs),
    ratio: (mine / theirs).toFixed(2),
    'server p50/p99 ms': `${of(runs[0], 'p50').toFixed(2)} / ${of(runs[0], 'p99').toFixed(2)}`,
    'yardstick p50/p99 ms': `${of(runs[1], 'p50').toFixed(2)} / ${of(runs[1], 'p99').toFixed(2)}`,
    failed,
  };
};

const stage = await setStage();
try {
  const ours = await stage.startServer(flags.executable);
  const yardstick = await stage.start([
    process.execPath,
    join(import.meta.dir, 'yardstick.ts'),
    stage.url,
  ]);
  const large = await stage.makeFirm('Many leads', { contacts: many, leads: many });
  const small = await stage.makeFirm('Few leads', { contacts: 100, leads: 100 });
  const headers = { authorization: `Bearer ${small}` };
  const first = await fetch(`${ours}/v1/leads?limit=1`, { headers });
  const { data } = (await first.json()) as { data: { id: string }[] };
  const page = (offset: number) => ({
    method: 'GET',
    path: `/v1/leads?limit=20&offset=${offset}`,
    key: large,
  });
  const body = JSON.stringify({ firstName: 'Zoe', lastName: 'Quill', email: 'zoe@quill.example' });
  const cases = [
    {
      name: 'read one lead',
      request: { method: 'GET', path: `/v1/leads/${data[0]?.id}`, key: small },
    },
    { name: `list 20 of ${many} leads`, request: page(0) },
    { name: 'list 20 at offset 90,000', request: page(90_000) },
    { name: 'create a lead', request: { method: 'POST', path: '/v1/leads', key: small, body } },
  ].flatMap((one) => [1, 16].map((clients) => ({ ...one, clients })));
  const rows = [];
  for (const one of cases) rows.push(await compare(ours, yardstick, one));
  console.table(rows);
} finally {
  await stage.clear();
}
process.exit();
