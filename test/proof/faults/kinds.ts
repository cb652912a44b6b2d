/** The faults: what each does to the laboratory in one round, and how long it then takes to be well again. */

import { connect } from '../../support/database.ts';
import { caller } from '../../support/firm.ts';
import type { Laboratory } from './laboratory.ts';

/** One round, with an owner's key to ask with. Gives the seconds until every server answered again. */
type Round = (lab: Laboratory, key: string, round: number) => Promise<number>;

export type Fault = {
  name: string;
  /** Rounds at the smallest size, and with `--full`. */
  rounds: number;
  full: number;
  /** After at most this many rounds everything is checked. */
  between: number;
  /** Whether a server may be gone when it is asked. */
  mayDrop: boolean;
  round: Round;
};

/** After this long something counts as broken. */
export const patienceMilliseconds = 60_000;

/** Asks each server until it answers; gives the seconds since `since`. */
export const allAnswer = async (lab: Laboratory, key: string, since = performance.now()) => {
  for (const index of lab.all) {
    const ask = () => caller(lab.urlOf(index), key).get('/v1/leads?limit=1');
    for (;;) {
      const answer = await Promise.race([ask().catch(() => undefined), Bun.sleep(10_000)]);
      if (answer?.status === 200) break;
      if (performance.now() - since > patienceMilliseconds) throw new Error('Not well again.');
      await Bun.sleep(20);
    }
  }
  return (performance.now() - since) / 1000;
};

const oneOf = (lab: Laboratory) => Math.floor(Math.random() * lab.all.length);
const aWhile = () => Bun.sleep(100 + Math.random() * 500);

const killOne: Round = async (lab, key) => {
  await aWhile();
  const index = oneOf(lab);
  const since = performance.now();
  await lab.kill(index);
  await lab.start(index);
  return allAnswer(lab, key, since);
};

const killAll: Round = async (lab, key) => {
  await aWhile();
  const since = performance.now();
  await Promise.all(lab.all.map(lab.kill));
  await Promise.all(lab.all.map(lab.start));
  return allAnswer(lab, key, since);
};

const killPostgres: Round = async (lab, key) => {
  await lab.killPostgres(aWhile);
  const since = performance.now();
  // What it leaves behind may answer for a moment longer.
  await Bun.sleep(150);
  return allAnswer(lab, key, since);
};

const killBoth: Round = async (lab, key) => {
  await lab.killPostgres(aWhile);
  const since = performance.now();
  await Promise.all(lab.all.map(lab.kill));
  await Promise.all(lab.all.map(lab.start));
  return allAnswer(lab, key, since);
};

const cut: Round = async (lab, key, round) => {
  await Bun.sleep(150);
  lab.proxies[round % lab.all.length]?.cut();
  if (round % 5 === 4) for (const proxy of lab.proxies) proxy.cut();
  return allAnswer(lab, key);
};

const ways = [['answers'], ['requests', 'answers'], ['requests']] as const;

/** Each server's network goes silent, each another way: for its answers, both ways, its requests. */
const blackHole: Round = async (lab, key, round) => {
  await aWhile();
  for (const [index, proxy] of lab.proxies.entries())
    proxy.blackHole(...(ways[(index + round) % ways.length] ?? []));
  await Bun.sleep(8_000);
  for (const proxy of lab.proxies) proxy.heal();
  return allAnswer(lab, key);
};

const resetCommit: Round = async (lab, key, round) => {
  lab.proxies[round % lab.all.length]?.resetAt('commit', round % 2 === 0 ? 'within' : 'answered');
  await Bun.sleep(150);
  return allAnswer(lab, key);
};

/** One after the other is told to stop; a load balancer that asks whether they are ready keeps clients away. */
const stopOne: Round = async (lab, key) => {
  const index = oneOf(lab);
  const url = lab.urlOf(index);
  const since = performance.now();
  const stopping = lab.stop(index);
  const isReady = () =>
    fetch(`${url}/readyz`).then(
      ({ ok }) => ok,
      () => false,
    );
  while (await isReady()) await Bun.sleep(50);
  lab.takeOut(index);
  const stopped = await stopping;
  if (stopped?.exitCode !== 0)
    throw new Error(`Told to stop, it exited with ${stopped?.exitCode}.`);
  await lab.start(index);
  return allAnswer(lab, key, since);
};

/** A transaction that sees the database as it was keeps everything since from being cleared away. */
const holdSnapshot =
  (seconds: number): Round =>
  async (lab, key) => {
    const sql = connect(lab.databaseUrl);
    await sql.begin('isolation level repeatable read', async (transaction) => {
      await transaction`select count(*) from job`;
      await Bun.sleep(seconds * 1000);
      await transaction`select count(*) from lead`;
    });
    await sql.end();
    return allAnswer(lab, key);
  };

const steps = [90, 3_600, -300, 600, -540, 7_200];

const stepClock: Round = async (lab, key, round) => {
  await Bun.sleep(1_000);
  await lab.step(steps[round % steps.length] ?? 0);
  return allAnswer(lab, key);
};

/** All but the full disk, which takes a laboratory of its own. */
export const faultsOf = (isFull: boolean): Fault[] => [
  fault('connections cut', 10, 200, 50, cut),
  fault('black hole, one and both ways', 1, 50, 3, blackHole),
  fault('reset in the middle of COMMIT', 10, 50, 50, resetCommit),
  fault('snapshot held', 1, 1, 3, holdSnapshot(isFull ? 600 : 5)),
  fault('clock steps', 6, 60, 12, stepClock),
  fault('kill -9 of Postgres', 2, 100, 4, killPostgres),
  fault('SIGTERM, one after the other', 2, 500, 20, stopOne),
  { ...fault('kill -9 of one server', 3, 1_000, 25, killOne), mayDrop: true },
  { ...fault('kill -9 of all servers', 1, 100, 10, killAll), mayDrop: true },
  { ...fault('kill -9 of Postgres and servers', 1, 100, 4, killBoth), mayDrop: true },
];

function fault(name: string, rounds: number, full: number, between: number, round: Round): Fault {
  return { name, rounds, full, between, mayDrop: false, round };
}
