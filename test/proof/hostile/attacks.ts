/** Mutated requests, half-open connections and wrong keys: what is promised of each, and measured. */
import { runJson } from '../../support/terminal.ts';
import { floodWithKeys, statusFrom } from './keys.ts';
import type { Ask } from './meter.ts';
import { startMeter } from './meters.ts';
import { floodWithMutations } from './mutations.ts';
import { milliseconds } from './report.ts';
import { promiseMemory, type Scene, statePace } from './scene.ts';
import { drip, openHalf } from './slow.ts';

/** Connections that are opened and left, and some whose bodies come a byte a second. */
export const halfOpen = async (scene: Scene, connections: number) => {
  const { url, report, attacker, pace, pings, seen, note, isSmall } = scene;
  const attack = `${connections} half-open, 100 dripping`;
  note(await pace.take());
  await pings.take();
  const before = await pace.steadily(isSmall ? 2_000 : 4_000);
  const pingsBefore = await pings.take();
  note(before);
  seen.takePeak();
  const half = await openHalf(url, connections);
  const slow = await drip(url, 100, attacker.key);
  const opened = `${half.opened + slow.opened} opened, ${half.refused + slow.refused} not`;
  report.state(attack, 'connections', opened);
  note(await pace.take());
  await pings.take();
  const taken = await pace.steadily(isSmall ? 2_000 : 4_000);
  const pingsHeld = await pings.take();
  statePace(scene, attack, taken);
  const beforeIt = [before.p50, before.p99].map(milliseconds).join(', ');
  report.state(attack, 'honest p50, p99 of the moment before', beforeIt);
  const promise = 'p99 of pings at most 50 ms, or twice that of the moment before';
  const figures = `${milliseconds(pingsHeld.p99)} (before: ${milliseconds(pingsBefore.p99)})`;
  const isKept = pingsHeld.p99 <= Math.max(50, 2 * pingsBefore.p99);
  report.promiseTime(isSmall, attack, promise, figures, isKept);
  await Bun.sleep(isSmall ? 29_000 : 24_000);
  for (const [whose, held] of [
    ['dripping', slow],
    ['half-open', half],
  ] as const) {
    const slowest = Math.max(0, ...held.cutAfterSeconds);
    const figures = `${held.cutAfterSeconds.length} of ${held.opened} cut, the last after ${slowest.toFixed(1)} s`;
    const isKept = held.cutAfterSeconds.length === held.opened && slowest <= 35;
    report.promiseTime(
      isSmall,
      attack,
      `${whose} connections are cut in at most 35 s`,
      figures,
      isKept,
    );
    held.letGo();
  }
  const longest = milliseconds((await pings.take()).longest);
  report.state(attack, 'longest wait of a ping as they are cut', longest);
  await promiseMemory(scene, attack);
};

/** The flood of mutated requests. */
export const mutations = async (
  scene: Scene,
  flood: { from: number; requests: number; seed: number },
) => {
  const { url, report, attacker, honest, pace, pings, seen, note, isSmall } = scene;
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
    ['answers of 5xx but for 503', found.serverErrors],
    ["answers that show the other firm's data", found.foreignMarkers],
    ['answers that are not as described', found.misshapen],
    ['requests without an answer', found.unanswered],
  ] as const)
    report.promise(attack, promise, count, count === 0);
  const { toComeAgain } = found;
  report.promiseTime(isSmall, attack, 'answers of 503', toComeAgain, toComeAgain === 0);
  statePace(scene, attack, await pace.take());
  report.state(attack, 'longest wait of a ping', milliseconds((await pings.take()).longest));
  await promiseMemory(scene, attack);
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
    statuses[0] === 200 || (isSmall && isToComeAgain(statuses[0])),
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

/** A line for suspects that does not move on a busy machine. */
const isToComeAgain = (status: unknown) => status === 429 || status === 503;
