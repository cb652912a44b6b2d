/** A laboratory with its data on a small disk, and the fault that fills it. */
import { appendFile, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { caller } from '../../support/firm.ts';
import { allAnswer, type Fault, patienceMilliseconds } from './kinds.ts';
import { type Laboratory, openLaboratory } from './laboratory.ts';

const size = '320m';
const fullMilliseconds = 6_000;

/** Opens a laboratory on a disk of its own; undefined where this user may not mount one. */
export const openOnSmallDisk = async (
  executable: string | undefined,
): Promise<Laboratory | undefined> => {
  const disk = await mkdtemp(join(tmpdir(), 'matterhorn-disk-'));
  const mounted = Bun.spawnSync(['mount', '-t', 'tmpfs', '-o', `size=${size}`, 'tmpfs', disk]);
  if (mounted.exitCode !== 0) {
    await rm(disk, { recursive: true });
    return undefined;
  }
  const lab = await openLaboratory({ executable, dataDirectory: join(disk, 'data') });
  const close = async () => {
    await lab.close();
    Bun.spawnSync(['umount', disk]);
    await rm(disk, { recursive: true });
  };
  return { ...lab, close };
};

/**
 * Fills the disk, first for the tables, then for the write-ahead log too, which ends Postgres; then
 * frees it. Refused writes are 503, and reads go on as long as Postgres runs.
 */
const fill: Fault['round'] = async (lab, key) => {
  const filler = join(lab.directory, '..', 'filler');
  try {
    await fillUp(filler);
    await untilRefused(lab, key);
    for (let read = 0; read < 30; read += 1) {
      const { status } = await caller(lab.anyUrl(), key).get('/v1/leads?limit=5');
      if (status !== 200) throw new Error(`A read on a full disk was answered ${status}.`);
    }
    await endLog(lab);
    await Bun.sleep(fullMilliseconds);
  } finally {
    await rm(filler, { force: true });
  }
  const since = performance.now();
  await allAnswer(lab, key);
  while ((await write(lab, key)) !== 201) {
    if (performance.now() - since > patienceMilliseconds) throw new Error('Nothing is written.');
    await Bun.sleep(50);
  }
  return (performance.now() - since) / 1000;
};

export const fullDisk: Fault = {
  name: 'disk full',
  rounds: 1,
  full: 20,
  between: 3,
  mayDrop: false,
  round: fill,
};

/** Writes into the file until nothing fits any more. */
const fillUp = async (file: string) => {
  for (const bytes of [4 * 1024 * 1024, 4_096, 1]) {
    try {
      for (;;) await appendFile(file, Buffer.alloc(bytes));
    } catch (error) {
      if ((error as { code?: unknown }).code !== 'ENOSPC') throw error;
    }
  }
};

/** Writes what the clients' notes do not count; gives the status. */
const write = async (lab: Laboratory, key: string) =>
  (await caller(lab.anyUrl(), key).post('/v1/practice-areas', { name: Bun.randomUUIDv7() })).status;

const untilRefused = async (lab: Laboratory, key: string) => {
  const until = performance.now() + patienceMilliseconds;
  while ((await write(lab, key)) !== 503) {
    if (performance.now() > until) throw new Error('Writes are not refused on a full disk.');
    await Bun.sleep(20);
  }
};

/** Uses up what the write-ahead log has left, until Postgres ends over it. */
const endLog = (lab: Laboratory) =>
  lab.look(async (sql) => {
    for (let mebibytes = 0; mebibytes < 300; mebibytes += 1) {
      const message = sql`select pg_logical_emit_message(false, 'fill', repeat('x', 1048576))`;
      const isOver = await Promise.race([
        message.then(
          () => false,
          () => true,
        ),
        Bun.sleep(5_000).then(() => true),
      ]);
      if (isOver) return;
    }
    throw new Error('The write-ahead log was not filled.');
  });
