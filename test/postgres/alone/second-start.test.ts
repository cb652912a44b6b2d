import { afterAll, expect, test } from 'bun:test';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { ask, postgresOf, ROOM_MS, readyDirectory, start, tidyUp } from '../embedded/driver.ts';

afterAll(tidyUp);

test(
  'a clean stop leaves no process and no pid file, and the next start is quick',
  async () => {
    const data = await readyDirectory();
    const first = start(['serve', data]);
    const address = await first.until('address');
    await ask(address, 'create table kept (number int); insert into kept values (7)');
    expect(await first.kill('SIGTERM')).toBe(0);
    expect(first.facts.at(-1)?.stopped).toBe(true);
    expect(postgresOf(data)).toEqual([]);
    expect(existsSync(join(data, 'pgdata/postmaster.pid'))).toBe(false);
    expect(readFileSync(join(data, 'postgres.log'), 'utf8')).toContain('system is shut down');

    const second = start(['serve', data]);
    // Nothing is made again: well under 300 ms on an idle machine.
    expect(await second.until('tookMs')).toBeLessThan(10_000);
    expect(await ask(await second.until('address'), 'select * from kept')).toEqual([{ number: 7 }]);
    await second.kill('SIGTERM');
  },
  ROOM_MS,
);
