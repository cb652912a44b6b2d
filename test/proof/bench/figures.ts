/** The figures of a benchmark: medians of the rounds, ratios, and the goals they are held to. */
import type { ContenderName, Run } from './contenders.ts';
import { median } from './load.ts';
import type { Starts } from './starts.ts';

/** The medians of one case with this many clients. `id` is the case. */
export type Row = {
  id: string;
  name: string;
  clients: number;
  of: Partial<Record<ContenderName, Run>>;
};

/** Pages of 20 of firms of several sizes, first and deep, asked by one client. */
export type Growth = { size: number; first: Row; deep: Row }[];

/** Everything a benchmark found out. */
export type Findings = {
  rows: Row[];
  growth: Growth;
  starts: Starts;
  /** The most memory of the server, and of it and all of Postgres, that was seen after a run. */
  memory: Partial<Record<ContenderName, { own: number; withDatabase: number }>>;
  mainSize: number;
  /** Whether the run was long enough, and the firms large enough, to hold it against the goals. */
  isJudged: boolean;
  leftOut: string[];
  machine: string;
};

/** Each figure's median over the rounds; failures are added up. */
export const medianOf = (runs: Run[]): Run => {
  const of = (part: keyof Run) => median(runs.map((run) => run[part]));
  return {
    perSecond: of('perSecond'),
    p50: of('p50'),
    p99: of('p99'),
    requests: of('requests'),
    load: of('load'),
    connections: of('connections'),
    cpu: of('cpu'),
    databaseCpu: of('databaseCpu'),
    memory: of('memory'),
    database: of('database'),
    failed: runs.reduce((sum, { failed }) => sum + failed, 0),
  };
};

/**
 * How many times as many requests a second the server answers; undefined if one of them is left
 * out.
 */
export const ratioTo = ({ of }: Row, other: ContenderName): number | undefined =>
  of.server && of[other] && of.server.perSecond / of[other].perSecond;

/** The CPU per request of a program and of Postgres for it, in milliseconds. */
export const cpuOf = ({ of }: Row, name: ContenderName): number | undefined =>
  of[name] && of[name].cpu + of[name].databaseCpu;

/** A goal, what was measured, and whether that meets it. */
export type Goal = { goal: string; measured: string; isMet: boolean };

/** The case of a page with the addresses of contacts, of that without. */
export const withContactsId = (page: string) => `${page}-with-contacts`;

/** The number of clients at which goals are held against the others. */
export const busyClients = 16;

/** The goals that can be judged by these findings. */
export const goalsOf = ({ rows, growth, memory, mainSize }: Findings): Goal[] => {
  const goals: Goal[] = [];
  const atLeast = (goal: string, least: number, figure: number | undefined, measured?: string) => {
    if (figure !== undefined)
      goals.push({ goal, measured: measured ?? figure.toFixed(2), isMet: figure >= least });
  };
  const atMost = (goal: string, max: number, figure: number | undefined, unit = '') => {
    if (figure !== undefined && !Number.isNaN(figure))
      goals.push({ goal, measured: `${figure.toFixed(2)}${unit}`, isMet: figure <= max });
  };
  const busy = (id: string, other: ContenderName) => {
    const row = rows.find((one) => one.id === id && one.clients === busyClients);
    return row && ratioTo(row, other);
  };
  const deep = (mainSize * 0.9).toLocaleString('en');
  const many = mainSize.toLocaleString('en');
  const clients = `${busyClients} clients`;
  atLeast(`reading a lead: 0.75 of the yardstick, ${clients}`, 0.75, busy('read', 'yardstick'));
  const [first, last] = [`page20-first-${mainSize}`, `page100-deep-${mainSize}`];
  atLeast(`page of 20 of ${many}: 8 times the yardstick`, 8, busy(first, 'yardstick'));
  atLeast(`page of 100 at offset ${deep}: 25 times the yardstick`, 25, busy(last, 'yardstick'));
  const perSecond = (id: string) =>
    rows.find((one) => one.id === id && one.clients === busyClients)?.of.server?.perSecond;
  const [plain, included] = [perSecond(first), perSecond(withContactsId(first))];
  atLeast(
    `page of 20 of ${many} with include=contact: 0.6 of that without`,
    ...([0.6, plain && included && included / plain] as const),
  );
  for (const [id, what] of [
    ['create-lead', 'creating leads'],
    ['create-matter', 'creating matters'],
  ] as const) {
    const how = `${what} in one firm, ${clients}`;
    atLeast(`${how}: 1.0 of the yardstick`, 1, busy(id, 'yardstick'));
    atLeast(`${how}: 0.8 of pgbench's transactions`, 0.8, busy(id, 'pgbench'));
  }
  const least = rows
    .filter((row) => row.clients === busyClients)
    .map((row) => ({ name: row.name, ratio: ratioTo(row, 'typical') ?? Number.POSITIVE_INFINITY }))
    .toSorted((a, b) => a.ratio - b.ratio)[0];
  if (least && Number.isFinite(least.ratio))
    atLeast(
      `each case: 3 times the typical server, ${clients}`,
      ...([3, least.ratio, `${least.ratio.toFixed(2)} at the least (${least.name})`] as const),
    );
  const [few, max] = [growth[0], growth.at(-1)];
  const sizes = [few, max].map((one) => (one?.size ?? 0).toLocaleString('en'));
  const p50 = (row: Row | undefined) => row?.of.server?.p50 ?? Number.NaN;
  atMost(
    `page of 20 of ${sizes[1]}: within 1.2 times of one of ${sizes[0]}`,
    ...([1.2, p50(max?.first) / p50(few?.first)] as const),
  );
  atMost(
    `deep page of ${sizes[1]}: within 1.5 times of the first`,
    ...([1.5, p50(max?.deep) / p50(max?.first)] as const),
  );
  atMost("the server's memory under load: under 150 MB", 150, memory.server?.own, ' MB');
  return goals;
};
