/**
 * The fault laboratory: `bun run faults [--rounds N] [--full] [--only TEXT] [--executable FILE]`.
 * Clients work at three servers while faults are done to them; after each, everything is looked at
 * from the outside. Exits with 1 when anything does not fit. `--rounds 1` is the smallest size,
 * `--full` the full one, which takes some hours.
 */
import { parseArgs } from 'node:util';
import { endAll } from '../../support/at-end.ts';
import { startWork } from './clients.ts';
import { type Figures, figuresOf, joined, nothing, sumOf, times } from './figures.ts';
import { type FirmOfClients, makeFirms } from './firms.ts';
import { fullDisk, openOnSmallDisk } from './full-disk.ts';
import { type Fault, faultsOf } from './kinds.ts';
import { type Laboratory, openLaboratory } from './laboratory.ts';
import { type FirmInBrowsers, makeFirmInBrowsers, startMembers } from './members.ts';
import { unseenSpoils } from './spoil.ts';
import { memberMisfits } from './stored-by-members.ts';

const { values: flags } = parseArgs({
  options: {
    rounds: { type: 'string', default: '3' },
    full: { type: 'boolean', default: false },
    only: { type: 'string', default: '' },
    executable: { type: 'string' },
  },
});
const scale = Number(flags.rounds);
if (!Number.isInteger(scale) || scale < 1) throw new Error('--rounds takes a whole number from 1.');
process.env.MATTERHORN_LOG ??= '';

/** Beyond this, looking at everything would take longer than what is looked for. */
const maxKnown = 3_000;
let firms: FirmOfClients[] = [];
let inBrowsers: FirmInBrowsers | undefined;

/** Causes a fault in the laboratory this many times under load, then checks everything. */
const runFault = async (lab: Laboratory, fault: Fault, rounds: number): Promise<Figures> => {
  const known = [...firms, ...(inBrowsers ? [inBrowsers] : [])];
  if (known.reduce((sum, one) => sum + one.known.size, 0) > maxKnown) {
    firms = [];
    inBrowsers = undefined;
  }
  if (firms.length === 0) firms = await makeFirms(lab);
  inBrowsers ??= await makeFirmInBrowsers(lab);
  const work = startWork(lab, firms, fault);
  const members = startMembers(lab, inBrowsers, fault);
  const key = firms[0]?.owner.key ?? '';
  const failed: string[] = [];
  let readySeconds = 0;
  // A fault that meets no work proves nothing.
  const isIdle = () => work.tally.writes < 20 || members.tally.writes < 4;
  while (isIdle() && work.broken.length + members.broken.length === 0) await Bun.sleep(10);
  for (let round = 0; round < rounds; round += 1) {
    try {
      readySeconds = Math.max(readySeconds, await fault.round(lab, key, round));
    } catch (error) {
      failed.push(String(error));
    }
  }
  await Bun.sleep(500);
  await Promise.all([work.finish(), members.finish()]);
  work.broken.push(...failed);
  const figures = await figuresOf(lab, work);
  const { writes, twice } = members.tally;
  return {
    ...figures,
    misfits: joined(joined(figures.misfits, await memberMisfits(lab, inBrowsers)), {
      broken: members.broken.map((one) => `in a browser: ${one}`),
      hung: times(members.counts.hung, 'no answer within 10 s, in a browser'),
      twice: times(twice, 'a repeated form was given another record'),
    }),
    writes: figures.writes + writes,
    dropped: figures.dropped + members.counts.dropped,
    rounds,
    readySeconds,
  };
};

const columns = [
  ...['lost', 'half', 'twice', 'audit', 'chain', 'replay', 'numbers', 'lists', 'told', 'closing'],
  ...['foreign', 'stale', 'broken', 'hung', 'dead', 'byHand'],
];
const lineOf = (figures: Figures) => ({
  rounds: figures.rounds,
  writes: figures.writes,
  ...Object.fromEntries(columns.map((column) => [column, figures.misfits[column]?.length ?? 0])),
  dropped: figures.dropped,
  'slowest s': figures.slowestSeconds.toFixed(1),
  'ready s': figures.readySeconds.toFixed(1),
  MiB: figures.mebibytes,
  conns: figures.connections,
});

const began = performance.now();
const table: Record<string, ReturnType<typeof lineOf>> = {};
let misfits = 0;

/** Does a fault in all its rounds, and says what it came to. */
const show = async (lab: Laboratory, fault: Fault) => {
  let figures = nothing();
  const rounds = flags.full ? fault.full : fault.rounds * scale;
  while (figures.rounds < rounds) {
    const next = Math.min(fault.between, rounds - figures.rounds);
    figures = sumOf(figures, await runFault(lab, fault, next));
  }
  table[fault.name] = lineOf(figures);
  console.log(`${fault.name}: ${rounds} rounds, ${figures.writes} writes`);
  for (const [kind, words] of Object.entries(figures.misfits)) {
    misfits += words.length;
    for (const sentence of words.slice(0, 5)) console.log(`  ${kind}: ${sentence}`);
  }
};

/** Opens a laboratory for some of the faults. */
const showAll = async (
  chosen: Fault[],
  open: (executable: string | undefined) => Promise<Laboratory | undefined>,
) => {
  if (chosen.length === 0) return;
  firms = [];
  inBrowsers = undefined;
  const lab = await open(flags.executable);
  if (!lab) return console.log('disk full: left out, since only root may mount a small disk.');
  try {
    for (const fault of chosen) await show(lab, fault);
    const unseen = await unseenSpoils(lab, firms);
    misfits += unseen.length;
    if (unseen.length > 0) console.log(`Spoilt on purpose and not seen: ${unseen.join(', ')}.`);
  } finally {
    await lab.close();
  }
};

const isChosen = ({ name }: Fault) => name.includes(flags.only);
try {
  await showAll(faultsOf(flags.full).filter(isChosen), (executable) =>
    openLaboratory({ executable }),
  );
  await showAll([fullDisk].filter(isChosen), openOnSmallDisk);
} finally {
  await endAll();
}
console.table(table);
const minutes = ((performance.now() - began) / 60_000).toFixed(1);
console.log(`${misfits} misfits in ${minutes} minutes.`);
process.exit(misfits === 0 ? 0 : 1);
