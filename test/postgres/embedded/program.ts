/**
 * The program that the tests drive: starts or borrows the embedded Postgres of a directory and then
 * does what its first argument says, one JSON object a line on stdout. Stops on SIGTERM.
 *
 *     bun test/postgres/embedded/program.ts serve|write|borrow|hold|place DIRECTORY
 *
 * What is borrowed is given back at once, what is held on SIGUSR2.
 */
import '../../../src/postgres/embedded/launcher.ts';
import postgres from 'postgres';
import { leaveRoot } from '../../../src/postgres/embedded/account.ts';
import {
  borrowEmbedded,
  directoryOf,
  type EmbeddedPostgres,
  startEmbedded,
} from '../../../src/postgres/embedded/embedded.ts';
import type { RoleAddress as Address } from '../../../src/postgres/embedded/roles.ts';

const tell = (fact: Record<string, unknown>) => console.log(JSON.stringify(fact));
const say = (said: string) => tell({ said });

const connect = (address: Address) =>
  postgres({ ...address, max: 4, connect_timeout: 2, onnotice: () => {} });

const stopOnSignal = (embedded: EmbeddedPostgres) => {
  process.once('SIGTERM', async () => {
    await embedded.stop();
    tell({ stopped: true });
    process.exit(0);
  });
};

const serve = async (dataDirectory: string): Promise<EmbeddedPostgres> => {
  const begun = performance.now();
  const onGaveUp = (gaveUp: string) => tell({ gaveUp });
  const embedded = await startEmbedded({ dataDirectory, say, onGaveUp });
  stopOnSignal(embedded);
  const tookMs = Math.round(performance.now() - begun);
  tell({ ready: true, tookMs, pid: process.pid, address: embedded.superuser });
  tell({ dataDirectory: embedded.dataDirectory });
  setInterval(() => {}, 1_000);
  return embedded;
};

const write = async (dataDirectory: string): Promise<void> => {
  const embedded = await serve(dataDirectory);
  const sql = connect(embedded.superuser);
  await sql`create table if not exists written (number int primary key)`;
  const [last] = await sql`select coalesce(max(number), 0) as number from written`;
  for (let number = Number(last?.number) + 1; ; number += 1) {
    try {
      await sql`insert into written values (${number})`;
      tell({ written: number });
    } catch {
      await Bun.sleep(20);
    }
  }
};

const borrow = async (dataDirectory: string, isOver: Promise<void>): Promise<void> => {
  const embedded = await borrowEmbedded({ dataDirectory, say });
  const sql = connect(embedded.superuser);
  const [row] = await sql`select pg_postmaster_start_time()::text as since`;
  tell({ borrowed: true, since: row?.since });
  await isOver;
  const [again] = await sql`select 1 as one`;
  await sql.end();
  await embedded.stop();
  tell({ returned: again?.one === 1 });
  process.exit(0);
};

const untilTold = () =>
  new Promise<void>((resolve) => {
    const staying = setInterval(() => {}, 1_000);
    process.once('SIGUSR2', () => {
      clearInterval(staying);
      resolve();
    });
  });

const [verb, directory = ''] = process.argv.slice(2);
try {
  if (verb !== 'place') leaveRoot(directory, say);
  if (verb === 'serve') await serve(directory);
  if (verb === 'write') await write(directory);
  if (verb === 'borrow') await borrow(directory, Promise.resolve());
  if (verb === 'hold') await borrow(directory, untilTold());
  if (verb === 'place') tell({ place: directoryOf(directory) });
} catch (error) {
  const { name, message } = error as Error;
  tell({ failed: message, name });
  process.exit(1);
}
