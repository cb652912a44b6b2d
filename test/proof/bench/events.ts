/**
 * How soon those who wait for events hear of a lead, and what that costs whoever makes leads:
 * `bun test/proof/bench/events.ts [--executable FILE] [--leads N]`. Leads come at 1,000 a minute to one
 * server: first while nobody waits, then while 20 wait at that server, then while they wait at another
 * one on the same database. It takes turns so that what else the machine does meets all of them. Those
 * who wait have a thread of their own, so that a call is not measured longer because they are answered.
 */
import { parseArgs } from 'node:util';
import { runJson } from '../../support/terminal.ts';
import { type Followed, now, type ToFollow } from './followers.ts';
import { foundFirmIn, setStage, startServerOn } from './stage.ts';

const waiters = 20;
const perMinute = 1_000;

const { values } = parseArgs({
  options: {
    executable: { type: 'string', default: 'dist/matterhorn' },
    leads: { type: 'string', default: '250' },
    rounds: { type: 'string', default: '3' },
  },
});

const quantile = (sorted: number[], share: number) =>
  sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? Number.NaN;

const inWords = (all: number[]) => {
  const sorted = all.toSorted((a, b) => a - b);
  const at = (share: number) => quantile(sorted, share).toFixed(1);
  return `median ${at(0.5)} ms, p99 ${at(0.99)} ms, slowest ${at(1)} ms`;
};

const stage = await setStage();
const [one, other] = [
  await startServerOn(values.executable, stage.url),
  await startServerOn(values.executable, stage.url),
];
const firm = await foundFirmIn(stage.url, 'Followed firm');
const keyFor = async () => {
  const words = ['key', 'create', '--firm', firm.id, '--member', 'ada@harrow.example', '--scope'];
  return (await runJson<{ key: string }>(stage.url, [...words, 'events:read', 'leads:read'])).key;
};
const keys = [await keyFor(), await keyFor(), await keyFor(), await keyFor()];

const createLead = async (lastName: string): Promise<string> => {
  const answer = await fetch(`${one.address}/v1/leads`, {
    method: 'POST',
    headers: { authorization: `Bearer ${firm.key}`, 'content-type': 'application/json' },
    body: JSON.stringify({ lastName }),
  });
  if (!answer.ok) throw new Error(`A lead was answered ${answer.status}: ${await answer.text()}`);
  return (await answer.json()).data.id;
};

/** When each lead was answered as made, by its id; and how long the calls took. */
const makeLeads = async (count: number) => {
  const madeAt = new Map<string, number>();
  const took: number[] = [];
  const begun = performance.now();
  for (let at = 0; at < count; at += 1) {
    await Bun.sleep(begun + (at * 60_000) / perMinute - performance.now());
    const since = performance.now();
    const id = await createLead(`Quill ${at}`);
    madeAt.set(id, now());
    took.push(performance.now() - since);
  }
  return { madeAt, took };
};

/** Makes leads while others follow at a server. How long each of them took to hear of each lead. */
const whileFollowed = async (address: string, count: number) => {
  const thread = new Worker(new URL('./followers.ts', import.meta.url));
  const told = () =>
    new Promise<Followed>((resolve, reject) => {
      thread.onmessage = ({ data }) => resolve(data);
      thread.onerror = ({ message }) => reject(new Error(message));
    });
  const ready = told();
  thread.postMessage({ address, keys, waiters, count } satisfies ToFollow);
  await ready;
  const end = told();
  const { madeAt, took } = await makeLeads(count);
  const heard = await end;
  thread.terminate();
  if (heard.length !== waiters * count) throw new Error('Some events came twice.');
  const delays = heard.map(({ id, at }) => Math.max(0, at - (madeAt.get(id) ?? Number.NaN)));
  return { took, delays };
};

const count = Number(values.leads);
const alone: number[] = [];
const here = { took: [] as number[], delays: [] as number[] };
const there = { took: [] as number[], delays: [] as number[] };
await makeLeads(count);
for (let round = 0; round < Number(values.rounds); round += 1) {
  alone.push(...(await makeLeads(count)).took);
  for (const [sum, address] of [
    [here, one.address],
    [there, other.address],
  ] as const) {
    const { took, delays } = await whileFollowed(address, count);
    sum.took.push(...took);
    sum.delays.push(...delays);
  }
}
await Promise.all([one.stop(), other.stop()]);
await stage.clear();

const middle = (all: number[]) =>
  quantile(
    all.toSorted((a, b) => a - b),
    0.5,
  );
console.log(`a lead, while nobody waits:              ${inWords(alone)}`);
console.log(`a lead, while ${waiters} wait at its server:     ${inWords(here.took)}`);
console.log(`a lead, while ${waiters} wait at another server: ${inWords(there.took)}`);
console.log(`heard of at its server:     ${inWords(here.delays)}`);
console.log(`heard of at another server: ${inWords(there.delays)}`);
console.log(
  `create, to that while nobody waits: ${(middle(alone) / middle(here.took)).toFixed(2)} and ${(middle(alone) / middle(there.took)).toFixed(2)}`,
);
