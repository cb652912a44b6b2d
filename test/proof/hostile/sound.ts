/** Whether what is stored is whole after the attacks, and what the log gave away. */
import { createReadStream } from 'node:fs';
import { createInterface } from 'node:readline';
import { run } from '../../support/terminal.ts';
import type { MarkedFirm } from './stage.ts';

const kinds = ['contacts', 'leads', 'matters', 'practice-areas'];

/** Reads every page of every list; gives a line for each that does not hold what its total says. */
export const unsoundLists = async (url: string, { key }: MarkedFirm): Promise<string[]> => {
  const wrong: string[] = [];
  for (const kind of kinds) {
    const ids = new Set<string>();
    const each = await readAll(url, kind, key, ({ id }) => ids.add(id));
    if (each.total !== ids.size || each.rows !== ids.size)
      wrong.push(`${kind}: ${each.total} in all, ${each.rows} listed, ${ids.size} different`);
  }
  return wrong;
};

/** Which of the leads that were acknowledged are not there as they were sent. */
export const missingLeads = async (
  url: string,
  { key }: MarkedFirm,
  created: [id: string, lastName: string][],
): Promise<string[]> => {
  const names = new Map<string, string>();
  await readAll(url, 'leads', key, ({ id, contact }) => names.set(id, contact?.name ?? ''));
  return created.filter(([id, name]) => names.get(id) !== name).map(([id]) => id);
};

type Row = { id: string; contact?: { name: string } | null };

const readAll = async (url: string, kind: string, key: string, see: (row: Row) => void) => {
  const headers = { authorization: `Bearer ${key}` };
  let rows = 0;
  for (;;) {
    const answer = await fetch(`${url}/v1/${kind}?limit=100&offset=${rows}`, { headers });
    const { data, pagination } = (await answer.json()) as {
      data: Row[];
      pagination: { total: number };
    };
    data.forEach(see);
    rows += data.length;
    if (data.length === 0) return { rows, total: pagination.total };
  }
};

/** What `audit verify` says about a firm if it does not pass. */
export const unprovenAudit = async (databaseUrl: string, { id }: MarkedFirm) => {
  const { exitCode, out, err } = await run(databaseUrl, ['audit', 'verify', '--firm', id]);
  return exitCode === 0 ? [] : [`${out}${err}`];
};

// 503, and jobs that come again because the database was too busy: lock or statement timeout, deadlock.
const isPassing =
  /"status":503|"event":"job".*"outcome":"failed".*"code":"(55P03|57014|40P01|40001)"/;

/**
 * Lines of a server's log: how many, those of failures that do not pass, those with a word that must
 * not be there, and what it warned of, how often.
 */
export const readLog = async (path: string, secret: RegExp) => {
  const warnings = new Map<string, number>();
  const found = { lines: 0, failures: [] as string[], telling: [] as string[], warnings };
  for await (const line of createInterface({ input: createReadStream(path) })) {
    found.lines += 1;
    const isFailure = /"level":"error"/.test(line) && !isPassing.test(line);
    if (isFailure || !line.startsWith('{')) found.failures.push(line);
    const warning = /"level":"warn","event":"([^"]*)"(?:.*"message":"([^"]*)")?/.exec(line);
    if (warning) {
      const what = warning.slice(1).join(': ');
      warnings.set(what, (warnings.get(what) ?? 0) + 1);
    }
    if (secret.test(line)) found.telling.push(line);
  }
  return found;
};
