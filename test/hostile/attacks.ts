/** Each attack, what is promised of it, and what is measured meanwhile. */
import { runJson } from '../support/terminal.ts';
import { measureBlocks } from './blocks.ts';
import { floodWithKeys, statusFrom } from './keys.ts';
import type { Ask, Taken } from './meter.ts';
import { type Meter, startMeter } from './meters.ts';
import { floodWithMutations } from './mutations.ts';
import { milliseconds, type Report } from './report.ts';
import type { Seen } from './seen.ts';
import { drip, openHalf } from './slow.ts';
import type { MarkedFirm } from './stage.ts';

export type Scene = {
  databaseUrl: string;
  url: string;
  seen: Seen;
  attacker: MarkedFirm;
  honest: MarkedFirm;
  pings: Meter;
  pace: Meter;
  report: Report;
  /** What the pace was before any attack. */
  idle: Taken;
  isSmall: boolean;
};

type Note = (taken: Taken) => void;

const mebibyte = 1024 * 1024;
const mostBlockedMilliseconds = 50;
const mostHeldMebibytes = 1_024;

/** With large bodies the promise is that they are refused at worst, and come again. */
const statePace = ({ report, idle }: Scene, attack: string, taken: Taken, isLarge = false) => {
  const { requests, p50, p99, again, broken } = taken;
  const beside = `idle ${[idle.p50, idle.p99].map(milliseconds).join(', ')}`;
  const figures = `${[p50, p99].map(milliseconds).join(', ')} of ${requests} (${beside})${again ? `, ${again} sent once more` : ''}`;
  report.state(attack, 'honest p50, p99', figures);
  report.detail(broken.slice(0, 5));
  const promise = 'honest requests refused or failed';
  if (isLarge) report.state(attack, promise, broken.length);
  else report.promise(attack, promise, broken.length, broken.length === 0);
};

const promiseMemory = async ({ report, seen }: Scene, attack: string) => {
  const peak = seen.takePeak();
  const figures = `${peak} MiB, then ${await seen.now()} MiB`;
  const promise = `memory at its peak at most ${mostHeldMebibytes} MiB`;
  report.promise(attack, promise, figures, peak <= mostHeldMebibytes);
};

/** Bodies that are dear to read, one at a time. */
export const dearBodies = async (scene: Scene, note: Note) => {
  const { url, report, attacker, pace, isSmall, seen } = scene;
  note(await pace.take());
  seen.takePeak();
  const times = isSmall ? 3 : 5;
  for (const path of ['/v1/leads', '/v1/contacts', '/v1/matters']) {
    const of = { path, bytes: mebibyte - 1, times };
    const [worst, ...rest] = await measureBlocks(url, of, attacker, scene);
    if (!worst) continue;
    const attack = `1 MiB on ${path}`;
    const promise = `the event loop stands still at most ${mostBlockedMilliseconds} ms (median of ${times})`;
    const figures = `${milliseconds(worst.median)} (${worst.name})`;
    report.promise(attack, promise, figures, worst.median <= mostBlockedMilliseconds);
    const all = [worst, ...rest];
    report.detail(all.slice(0, 6).map((one) => `${attack}: ${JSON.stringify(one)}`));
    const isRefused = all.every(({ status }) => /^[24]\d\d$/.test(status));
    report.promise(attack, 'each is answered, none 5xx', all.length, isRefused);
  }
  const ofUsual = await pace.take();
  note(ofUsual);
  statePace(scene, 'bodies of 1 MiB', ofUsual);
  const of = { path: '/v1/matters', bytes: 16 * mebibyte - 1, times: isSmall ? 1 : 3 };
  const large = await measureBlocks(url, of, attacker, scene);
  const [worst] = large;
  report.detail(large.slice(0, 6).map((one) => `16 MiB: ${JSON.stringify(one)}`));
  report.state(
    '16 MiB on /v1/matters',
    'the event loop stands still (median)',
    `${milliseconds(worst?.median ?? 0)} (${worst?.name})`,
  );
  const taken = await pace.take();
  note(taken);
  statePace(scene, 'bodies of 16 MiB', taken, true);
  await promiseMemory(scene, 'bodies of 1 and 16 MiB');
};

/** Connections that are opened and left, and some whose bodies come a byte a second. */
export const halfOpen = async (scene: Scene, connections: number, note: Note) => {
  const { url, report, attacker, pace, seen, isSmall } = scene;
  const attack = `${connections} half-open, 100 dripping`;
  note(await pace.take());
  const before = await pace.over(isSmall ? 5_000 : 10_000);
  note(before);
  seen.takePeak();
  const half = await openHalf(url, connections);
  const slow = await drip(url, 100, attacker.key);
  const opened = `${half.opened + slow.opened} opened, ${half.refused + slow.refused} not`;
  report.state(attack, 'connections', opened);
  note(await pace.take());
  const taken = await pace.over(isSmall ? 5_000 : 10_000);
  note(taken);
  statePace(scene, attack, taken);
  const most = Math.max(50, 2 * before.p99);
  const promise = 'honest p99 at most 50 ms, or twice that of the moment before';
  const figures = `${milliseconds(taken.p99)} (before: ${milliseconds(before.p99)})`;
  // On a machine that is busy with other things, one short look proves nothing.
  if (isSmall) report.state(attack, promise, figures);
  else report.promise(attack, promise, figures, taken.p99 <= most);
  await Bun.sleep(isSmall ? 31_000 : 26_000);
  for (const [whose, held] of [
    ['dripping', slow],
    ['half-open', half],
  ] as const) {
    const slowest = Math.max(0, ...held.cutAfterSeconds);
    const figures = `${held.cutAfterSeconds.length} of ${held.opened} cut, the last after ${slowest.toFixed(1)} s`;
    const isKept = held.cutAfterSeconds.length === held.opened && slowest <= 35;
    report.promise(attack, `${whose} connections are cut in at most 35 s`, figures, isKept);
    held.letGo();
  }
  await promiseMemory(scene, attack);
};

/** The flood of mutated requests. */
export const mutations = async (
  scene: Scene,
  flood: { from: number; requests: number; seed: number },
  note: Note,
) => {
  const { url, report, attacker, honest, pace, pings, seen } = scene;
  const attack = `${flood.requests} mutated requests, seed ${flood.seed}`;
  note(await pace.take());
  await pings.take();
  seen.takePeak();
  const since = performance.now();
  const found = await floodWithMutations(url, flood, attacker, honest);
  const seconds = (performance.now() - since) / 1_000;
  report.detail(found.broken);
  const statuses = [...found.statuses].sort(([one], [other]) => one - other);
  report.state(attack, 'answers by status', statuses.map((pair) => pair.join(': ')).join(', '));
  report.state(attack, 'hung up on without an answer, as broken HTTP may be', found.hungUp);
  report.state(attack, 'sent once more, on a new connection', found.again.length);
  report.detail(found.again.slice(0, 10));
  report.state(attack, 'requests a second', Math.round(flood.requests / seconds));
  for (const [promise, count] of [
    ['answers of 5xx', found.serverErrors],
    ["answers that show the other firm's data", found.foreignMarkers],
    ['answers that are not as described', found.misshapen],
    ['requests without an answer', found.unanswered],
  ] as const)
    report.promise(attack, promise, count, count === 0);
  const taken = await pace.take();
  note(taken);
  statePace(scene, attack, taken);
  report.state(attack, 'longest wait of a ping', milliseconds((await pings.take()).longest));
  await promiseMemory(scene, attack);
};

/** Many of the largest bodies at once, with a good key and with wrong ones. */
export const hugeBodies = async (scene: Scene, note: Note) => {
  const { url, attacker, pace, seen } = scene;
  for (const [whose, key, count] of [
    ['wrong keys', attacker.revokedKey, 100],
    ['a good key', attacker.key, 40],
  ] as const) {
    note(await pace.take());
    seen.takePeak();
    const body = `{"title":"${'a'.repeat(16 * mebibyte - 100)}"}`;
    const headers = { authorization: `Bearer ${key}`, 'content-type': 'application/json' };
    const send = () => fetch(`${url}/v1/matters`, { method: 'POST', headers, body });
    const answers = await Promise.all(
      Array.from({ length: count }, () => send().catch(() => undefined)),
    );
    const attack = `${count} bodies of 16 MiB at once, ${whose}`;
    const statuses = [...new Set(answers.map((one) => one?.status ?? 'hung up'))].join(', ');
    scene.report.state(attack, 'answered', statuses);
    const taken = await pace.take();
    note(taken);
    statePace(scene, attack, taken, true);
    await promiseMemory(scene, attack);
  }
};

/** A flood of wrong keys at a server with the usual limits, and honest callers at the same address. */
export const wrongKeys = async (
  scene: Scene,
  asHonest: Omit<Extract<Ask, { kind: 'honest' }>, 'url'>,
) => {
  const { url, report, honest, seen, isSmall } = scene;
  const attack = 'wrong keys';
  const member = `owner@${honest.marker}.example`;
  const unused = () =>
    runJson<{ key: string }>(scene.databaseUrl, [
      ...['key', 'create', '--firm', honest.id, '--member', member, '--scope', 'leads:read'],
    ]);
  const [here, elsewhere] = [await unused(), await unused()];
  const pace = startMeter({ ...asHonest, url });
  const idle = await pace.over(2_000);
  statePace(scene, `${attack}, before`, idle);
  const stop = floodWithKeys(url);
  await Bun.sleep(1_000);
  const statuses = [
    await statusFrom(url, '127.0.0.1', here.key),
    await statusFrom(url, '127.0.0.2', elsewhere.key).catch(() => 'no such address'),
  ];
  const taken = await pace.over(isSmall ? 5_000 : 15_000);
  const flooded = await stop();
  pace.stop();
  const told = [...flooded.statuses].map((pair) => pair.join(': ')).join(', ');
  report.state(attack, 'told', `${told}; ${flooded.perSecond} a second`);
  statePace(scene, attack, taken);
  report.promise(
    attack,
    'a good key at the same address, used for the first time',
    statuses[0] ?? 0,
    statuses[0] === 200,
  );
  report.promise(
    attack,
    'a good key at another address, used for the first time',
    statuses[1] ?? 0,
    statuses[1] !== 429,
  );
  report.promise(
    attack,
    'wrong keys that got in',
    flooded.statuses.get(200) ?? 0,
    !flooded.statuses.has(200),
  );
  await promiseMemory(scene, attack);
  seen.takePeak();
};
