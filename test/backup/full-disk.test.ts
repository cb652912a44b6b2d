/** A disk without room, which only root can make: one sentence, and nothing is lost. */
import { expect, test } from 'bun:test';
import { readdirSync } from 'node:fs';
import { chmod, mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { atEnd } from '../support/at-end.ts';
import { expectRefused, ownFolder, startCommand } from '../support/backup.ts';
import { ownDatabase } from '../support/database.ts';
import { makeFirm } from '../support/firm.ts';
import { run, runJson } from '../support/terminal.ts';

const folder = await ownFolder();

const mount = (words: string[]) => Bun.spawnSync(['mount', ...words]).success;

/** A disk of its own of this size; undefined where none can be made. */
const diskOf = async (name: string, size: string) => {
  const place = join(folder, name);
  await mkdir(place);
  if (!mount(['-t', 'tmpfs', '-o', `size=${size},mode=755`, 'none', place])) return undefined;
  atEnd(() => void Bun.spawnSync(['umount', '--lazy', place]));
  return place;
};

const canMount = Bun.spawnSync([
  'unshare',
  '--mount',
  'mount',
  '-t',
  'tmpfs',
  'none',
  '/mnt',
]).success;

test.skipIf(!canMount)(
  'a full disk refuses a backup, and a restore, and nothing is lost',
  async () => {
    const databaseUrl = await ownDatabase();
    const firm = await makeFirm({ url: '', databaseUrl });
    const small = (await diskOf('small', '4k')) ?? '';
    await Bun.write(join(small, 'others'), 'x'.repeat(4_096));
    expectRefused(
      await run(databaseUrl, ['backup', join(small, 'x.backup')]),
      `The disk is full at ${small}/x.backup`,
    );
    expect(readdirSync(small)).toEqual(['others']);

    const file = join(folder, 'x.backup');
    await runJson(databaseUrl, ['backup', file]);
    const before = await Bun.file(file).bytes();
    const place = (await diskOf('restored', '30m')) ?? '';
    const data = join(place, 'data');
    const restore = () => startCommand('', ['restore', file, '--data', data]).exited();
    expectRefused(await restore(), 'is full; free some space, and try again.');
    expect(await Bun.file(file).bytes()).toEqual(before);

    // With room, the same command goes on where it was.
    expect(mount(['-o', 'remount,size=1g', place])).toBe(true);
    await chmod(place, 0o755);
    const { exitCode, out, err } = await restore();
    expect({ exitCode, err: exitCode === 0 ? '' : err }).toEqual({ exitCode: 0, err: '' });
    expect(out).toContain('Proved:');
    const listed = await startCommand('', ['firm', 'list', '--json', '--data', data]).exited();
    expect(JSON.parse(listed.out)).toEqual([expect.objectContaining({ id: firm.id })]);
  },
);
