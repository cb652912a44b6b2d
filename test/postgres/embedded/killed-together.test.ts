/** The server and its Postgres killed at the same moment, as by an impatient service manager. */
import { afterAll, expect, test } from 'bun:test';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { tryLock } from '../../../src/postgres/embedded/lock.ts';
import { ask, postmasterOf, ROOM_MS, readyDirectory, start, tidyUp } from './driver.ts';

afterAll(tidyUp);

const kill = (pid: number) => {
  try {
    process.kill(pid, 'SIGKILL');
  } catch {
    // It has ended.
  }
};

const neverReaps = [process.execPath, join(import.meta.dir, 'never-reaps.ts')];

test(
  'the lock of a killed Postgres that nobody has reaped does not stop the next start',
  async () => {
    const data = await readyDirectory();
    const first = start(['serve', data], { before: neverReaps });
    const pid = await first.until('pid');
    const postmaster = postmasterOf(data);
    kill(pid);
    kill(postmaster);
    const next = start(['serve', data]);
    expect(await ask(await next.until('address'), 'select 1 as one')).toEqual([{ one: 1 }]);
    // The dead one is still listed: this is the case that is meant.
    expect(readFileSync(`/proc/${postmaster}/stat`, 'utf8')).toContain(') Z ');
    await next.kill('SIGTERM');
    await first.kill('SIGKILL');
  },
  ROOM_MS,
);

test(
  'a start that something holds up waits for it, then names it, and advises no restore',
  async () => {
    const data = await readyDirectory();
    const hold = () => tryLock(join(data, 'cluster.lock'));
    const soonGone = hold();
    const patient = start(['serve', data]);
    await Bun.sleep(2_000);
    expect(patient.facts).toEqual([]);
    soonGone?.release();
    expect(await ask(await patient.until('address'), 'select 1 as one')).toEqual([{ one: 1 }]);
    await patient.kill('SIGTERM');
    const staying = hold();
    const failed = await start(['serve', data]).until('failed');
    expect(failed).toContain('still uses');
    expect(failed).toEndWith('stop it first.');
    staying?.release();
  },
  ROOM_MS,
);

/** A start removes the pid file of the Postgres before, so it may go while it is read. */
const postmasterIfAny = (data: string): number | undefined => {
  try {
    return postmasterOf(data) || undefined;
  } catch {
    return undefined;
  }
};

test(
  'killed together 0.05 to 0.7 s after a start, and started again at once, it is there again',
  async () => {
    const data = await readyDirectory();
    for (const afterMs of [50, 100, 150, 200, 250, 300, 400, 500, 600, 700]) {
      const program = start(['serve', data]);
      await Bun.sleep(afterMs);
      const postmaster = postmasterIfAny(data);
      program.process.kill('SIGKILL');
      if (postmaster !== undefined) kill(postmaster);
      const next = start(['serve', data]);
      const address = await next.until('address');
      expect(await ask(address, 'select 1 as one')).toEqual([{ one: 1 }]);
      // Killed too: the start of the next round has to cope with it. What watches over Postgres may stop it in
      // between, and with it goes the file.
      const running = postmasterOf(data);
      next.process.kill('SIGKILL');
      kill(running);
    }
  },
  ROOM_MS,
);
