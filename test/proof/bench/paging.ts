/**
 * What a page costs at any depth of a million contacts, beside the first page and an empty firm's:
 * `bun test/proof/bench/paging.ts [--contacts N] [--rounds N]`. What counts are the ratios.
 */
import { parseArgs } from 'node:util';
import { measure, median } from './load.ts';
import { setStage } from './stage.ts';

const { values: flags } = parseArgs({
  options: {
    contacts: { type: 'string', default: '1000000' },
    rounds: { type: 'string', default: '5' },
    seconds: { type: 'string', default: '1' },
    executable: { type: 'string', default: 'dist/matterhorn' },
  },
});
const contacts = Number(flags.contacts);
const limit = 100;

const stage = await setStage();
try {
  const server = await stage.startServer(flags.executable);
  const full = await stage.makeFirm('Full', { contacts, leads: 0 });
  const empty = await stage.makeFirm('Empty', { contacts: 0, leads: 0 });
  const pages = [
    { name: 'an empty firm', key: empty, offset: 0 },
    ...[0, 1_900, contacts * 0.1, contacts * 0.5, contacts - limit].map((offset) => ({
      name: `offset ${offset.toLocaleString('en')}`,
      key: full,
      offset,
    })),
  ];
  const p50s = pages.map(() => [] as number[]);
  for (let round = 0; round <= Number(flags.rounds); round += 1) {
    for (const [index, { key, offset }] of pages.entries()) {
      const request = { method: 'GET', path: `/v1/contacts?limit=${limit}&offset=${offset}`, key };
      const { p50, failed } = await measure(server, request, 1, Number(flags.seconds));
      if (failed > 0) throw new Error(`${failed} pages at offset ${offset} were refused.`);
      if (round > 0) p50s[index]?.push(p50);
    }
  }
  const medians = p50s.map(median);
  console.table(
    pages.map(({ name }, index) => ({
      [`page of ${limit}`]: name,
      'p50 ms': medians[index]?.toFixed(2),
      'to the first page': ((medians[index] ?? 0) / (medians[1] ?? 1)).toFixed(2),
      'to an empty firm': ((medians[index] ?? 0) / (medians[0] ?? 1)).toFixed(2),
    })),
  );
} finally {
  await stage.clear();
}
process.exit();
