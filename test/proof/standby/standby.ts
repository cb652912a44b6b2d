/**
 * The laboratory of two database machines: `bun run standby [--rounds N]`. Clients create leads
 * while the Postgres that serves is killed and its standby is promoted, by the steps of
 * docs/standby.md. In every other round the network between the two is silent for a while before.
 * Exits with 1 when an acknowledged lead is missing, doubled or not whole; and when it cannot see
 * that: in the last round commits do not wait for the standby, so acknowledged leads must be lost.
 */
import { parseArgs } from 'node:util';
import { migrate } from '../../../src/postgres/migrate.ts';
import { endAll } from '../../support/at-end.ts';
import { takeClock } from '../../support/clock.ts';
import { caller, makeFirm } from '../../support/firm.ts';
import { freePort, type Instance, startInstance } from '../../support/instances.ts';
import { expectWhole, type Load, startLoad, untilAnswered } from '../faults/load.ts';
import { type Proxy as Network, startProxy } from '../faults/proxy.ts';
import { type Cluster, openCluster } from './cluster.ts';

const { values: flags } = parseArgs({ options: { rounds: { type: 'string', default: '4' } } });
const rounds = Number(flags.rounds);
if (!Number.isInteger(rounds) || rounds < 1) throw new Error('--rounds takes a number from 1.');
process.env.MATTERHORN_LOG ??= 'quiet';

const silentMilliseconds = 8_000;

const setStandbys = (cluster: Cluster, names: string) =>
  cluster
    .psql(`alter system set synchronous_standby_names = '${names}'`)
    .then(() => cluster.psql('select pg_reload_conf()'));

/** Waits until the other one follows; every commit waits for it, or none. */
const untilFollowed = async (serving: Cluster, state: 'sync' | 'async') => {
  await setStandbys(serving, state === 'sync' ? '*' : '');
  const states = 'select sync_state from pg_stat_replication';
  while ((await serving.psql(states)) !== state) await Bun.sleep(50);
};

const untilAcknowledged = async (load: Load, count: number) => {
  const until = performance.now() + 60_000;
  while (load.acknowledged.size < count) {
    if (performance.now() > until) throw new Error('No lead was acknowledged within a minute.');
    await Bun.sleep(10);
  }
};

type Round = {
  leads: number;
  network: 'well' | 'silent';
  acknowledgedInSilence: number;
  seconds: string;
};

/** One machine dies under load, and the other takes over. */
const runRound = async (
  [serving, standby]: [Cluster, Cluster],
  between: Network,
  isSilent: boolean,
): Promise<Round> => {
  const port = await freePort();
  let instance: Instance = await startInstance(serving.url, { port });
  const firm = await makeFirm({ url: instance.url, databaseUrl: serving.url });
  const load = startLoad(instance.url, firm.owner.key, 8, { mayDrop: true });
  await untilAcknowledged(load, 50);
  const before = load.acknowledged.size;
  let acknowledgedInSilence = 0;
  if (isSilent) {
    between.blackHole('requests', 'answers');
    await Bun.sleep(500);
    const atFirst = load.acknowledged.size;
    await Bun.sleep(silentMilliseconds);
    acknowledgedInSilence = load.acknowledged.size - atFirst;
  }

  const since = performance.now();
  await serving.kill();
  between.cut();
  await setStandbys(standby, '');
  await standby.promote();
  await instance.kill();
  instance = await startInstance(standby.url, { port });
  await untilAnswered(instance.url, firm.owner.key);
  const seconds = ((performance.now() - since) / 1000).toFixed(1);

  await untilAcknowledged(load, before + 50);
  await load.finish();
  await expectWhole(standby.url, firm.id, load);
  const { status } = await caller(instance.url, firm.owner.key).post('/v1/leads', {
    lastName: 'Prospect',
  });
  if (status !== 201) throw new Error(`The new database answers a create with ${status}.`);
  await instance.kill();
  between.heal();
  return {
    leads: load.acknowledged.size,
    network: isSilent ? 'silent' : 'well',
    acknowledgedInSilence,
    seconds,
  };
};

const table: Round[] = [];
let seesLosses = false;
try {
  let pair: [Cluster, Cluster] = [await openCluster(), await openCluster()];
  await pair[0].begin();
  await migrate(pair[0].url);
  // It stands still, so that no lead is announced before all of them are looked at.
  await takeClock(pair[0].url);
  const begin = async (state: 'sync' | 'async') => {
    const between = await startProxy(pair[0].url);
    await pair[1].follow(between.url);
    await untilFollowed(pair[0], state);
    return between;
  };
  for (let round = 0; round < rounds; round += 1) {
    table.push(await runRound(pair, await begin('sync'), round % 2 === 1));
    pair = [pair[1], pair[0]];
  }
  const lossy = runRound(pair, await begin('async'), true);
  seesLosses = await lossy.then(
    () => false,
    (error) => String(error).includes('lost'),
  );
} finally {
  await endAll();
}
console.table(table);
const early = table.filter(({ acknowledgedInSilence }) => acknowledgedInSilence > 0).length;
if (early > 0) console.log(`${early} rounds acknowledged leads that no standby had.`);
if (!seesLosses) console.log('Leads that were lost on purpose were not missed.');
process.exit(early === 0 && seesLosses ? 0 : 1);
