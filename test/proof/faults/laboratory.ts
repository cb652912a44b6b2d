/** Three servers, each behind a network of its own, on one Postgres: what the faults are done to. */
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type postgres from 'postgres';
import { startEmbedded } from '../../../src/postgres/embedded/embedded.ts';
import { migrate } from '../../../src/postgres/migrate.ts';
import { clockOf, takeClock } from '../../support/clock.ts';
import { connect } from '../../support/database.ts';
import { embeddedUrl } from '../../support/embedded.ts';
import { type Instance, startInstance } from '../../support/instances.ts';
import { giveRecords } from './closing.ts';
import { startProxy } from './proxy.ts';

export type Laboratory = Awaited<ReturnType<typeof openLaboratory>>;

/** The database's clock runs this many times as fast as real time: a minute takes two seconds. */
export const pace = 30;

const instanceCount = 3;
/** The embedded Postgres is given up when it dies more than five times within a minute. */
const killsAMinute = 4;

/** Opens one with its data in a folder of its own, or in the one given. */
export const openLaboratory = async ({
  executable,
  dataDirectory,
}: {
  executable?: string | undefined;
  dataDirectory?: string;
}) => {
  const directory = dataDirectory ?? (await mkdtemp(join(tmpdir(), 'matterhorn-faults-')));
  const gaveUp: string[] = [];
  const postgres = await startEmbedded({
    dataDirectory: directory,
    say: () => {},
    onGaveUp: (sentence) => gaveUp.push(sentence),
  });
  const databaseUrl = embeddedUrl(postgres.superuser);
  await migrate(postgres.superuser);
  await (await takeClock(databaseUrl)).run(pace);
  const look = async <Seen>(work: (sql: postgres.Sql) => Promise<Seen>): Promise<Seen> => {
    const sql = connect(databaseUrl);
    try {
      return await work(sql);
    } finally {
      await sql.end({ timeout: 1 });
    }
  };
  await look(giveRecords);

  let log = '';
  const hear = (text: string) => {
    log += text;
  };
  const proxies: Awaited<ReturnType<typeof startProxy>>[] = [];
  const instances: (Instance | undefined)[] = [];
  const start = async (index: number): Promise<void> => {
    const url = proxies[index]?.url ?? '';
    // As a service manager does: what could not start is started again.
    for (let attempt = 1; ; attempt += 1) {
      try {
        instances[index] = await startInstance(url, { executable, hear });
        return;
      } catch (error) {
        if (attempt === 30) throw error;
        await Bun.sleep(200);
      }
    }
  };
  const all = Array.from({ length: instanceCount }, (_, index) => index);
  for (const _ of all) proxies.push(await startProxy(databaseUrl));
  await Promise.all(all.map(start));

  const kills: number[] = [];
  /** Kills the first process of Postgres, `aWhile` after it may be; its guard starts it again. */
  const killPostgres = async (aWhile: () => Promise<void>) => {
    while (kills.filter((at) => performance.now() - at < 62_000).length >= killsAMinute)
      await Bun.sleep(100);
    await aWhile();
    kills.push(performance.now());
    const file = join(postgres.dataDirectory, 'pgdata/postmaster.pid');
    process.kill(Number((await readFile(file, 'utf8')).split('\n')[0]), 'SIGKILL');
  };
  const urls = () => instances.flatMap((instance) => instance?.url ?? []);
  return {
    databaseUrl,
    directory: postgres.dataDirectory,
    proxies,
    all,
    gaveUp,
    look,
    urls,
    start,
    /** What the servers wrote to their logs. */
    log: () => log,
    /** The address of one of the servers that are not known to be away. */
    anyUrl: () => {
      const now = urls();
      return now[Math.floor(Math.random() * now.length)] ?? 'http://127.0.0.1:9';
    },
    kill: async (index: number) => {
      // Clients are not told: they find out.
      await instances[index]?.kill();
    },
    killPostgres,
    stop: async (index: number) => instances[index]?.stop(),
    /** Clients ask this one no more, as a load balancer keeps them from one that says it is not ready. */
    takeOut: (index: number) => {
      instances[index] = undefined;
    },
    urlOf: (index: number) => instances[index]?.url ?? '',
    step: (seconds: number) => look((sql) => clockOf(sql).step(seconds)),
    /** The most memory that one of the servers holds, in mebibytes. */
    mebibytes: async () => {
      const sizes = instances.map(async (instance) => {
        const status = await readFile(`/proc/${instance?.pid}/status`, 'utf8').catch(() => '');
        return Number(/VmRSS:\s+(\d+)/.exec(status)?.[1] ?? 0) / 1024;
      });
      return Math.round(Math.max(...(await Promise.all(sizes))));
    },
    close: async () => {
      await Promise.all(instances.map((instance) => instance?.kill()));
      await postgres.stop();
      await rm(directory, { recursive: true, force: true });
    },
  };
};
