/** What a run of tests may not leave behind when all its files are done. */
import { existsSync, readdirSync, readFileSync, readlinkSync } from 'node:fs';
import { join } from 'node:path';
import { connect } from './database.ts';
import { isOfBrowser } from './kept.ts';

/** Processes of the run: those that were given its folder, or name it, or work in it. */
const processesIn = (folder: string): string[] =>
  (existsSync('/proc/self/environ') ? readdirSync('/proc') : [])
    .filter((pid) => /^\d+$/.test(pid) && Number(pid) !== process.pid)
    .flatMap((pid) => {
      try {
        const of = (name: string) => readFileSync(`/proc/${pid}/${name}`, 'utf8');
        const command = of('cmdline').replaceAll('\0', ' ').trim();
        const isOfRun = [command, of('environ'), readlinkSync(`/proc/${pid}/cwd`)].some((text) =>
          text.includes(folder),
        );
        return isOfRun && command ? [`process ${pid}: ${command.slice(0, 200)}`] : [];
      } catch {
        // It has ended, or is somebody else's.
        return [];
      }
    });

/** Files of the run, save its reports and what it has built. */
const filesIn = (folder: string): string[] =>
  readdirSync(folder)
    .filter((name) => !/\.xml$|^matterhorn/.test(name))
    .flatMap((name) =>
      /^w\d+$/.test(name) ? inside(folder, name) : [`file ${join(folder, name)}`],
    );

/** Each worker of tests has a folder, which stays, with the keys of its installations. */
const inside = (folder: string, worker: string) =>
  readdirSync(join(folder, worker))
    .filter((name) => !name.startsWith('matterhorn-keys-') && !isOfBrowser(name))
    .map((name) => `file ${join(folder, worker, name)}`);

/** Databases that a test made for itself, and jobs that nobody will ever run: those that are dead. */
const inPostgres = async (url: string): Promise<string[]> => {
  const admin = connect(url);
  const databases = await admin<{ name: string }[]>`
    select datname as name from pg_database where datname ~ '^(test|matterhorn)_'`;
  await admin.end();
  const found: string[] = [];
  for (const { name } of databases) {
    if (name.startsWith('test_')) found.push(`database ${name}`);
    else {
      const address = new URL(url);
      address.pathname = `/${name}`;
      const sql = connect(address.href);
      const dead = await sql<{ kind: string; firm: string; error: string }[]>`
        select kind, firm_id as firm, left(last_error, 200) as error from job where dead_at is not null`;
      found.push(...dead.map((job) => `dead job ${job.kind} of firm ${job.firm}: ${job.error}`));
      await sql.end();
    }
  }
  return found;
};

/** New files of the repository, where it is one of Git's. */
export const newFilesIn = (repository: string): Set<string> => {
  const words = ['git', 'status', '--porcelain', '--untracked-files=all'];
  const { success, stdout } = Bun.spawnSync(words, { cwd: repository, stderr: 'ignore' });
  const lines = success ? stdout.toString().split('\n') : [];
  return new Set(lines.filter((line) => line.startsWith('??')).map((line) => line.slice(3)));
};

/** All that the run has left, each in words. What was told to end may need a moment for it. */
export const leftByRun = async (folder: string, databaseUrl: string): Promise<string[]> => {
  for (let tries = 0; tries < 100 && processesIn(folder).length > 0; tries += 1)
    await Bun.sleep(100);
  return [...processesIn(folder), ...filesIn(folder), ...(await inPostgres(databaseUrl))];
};
