/** What a benchmark found out, as Markdown. */
import { type ContenderName, contenderNames, numbersOfConnections } from './contenders.ts';
import { cpuOf, type Findings, goalsOf, type Row, ratioTo } from './figures.ts';

export const titles: Record<ContenderName, string> = {
  server: 'this server',
  yardstick: 'bare yardstick',
  typical: 'typical server',
  pgbench: 'pgbench',
};

const servers = ['server', 'yardstick', 'typical'] as const;
const others = ['yardstick', 'typical', 'pgbench'] as const;

/** The whole report. */
export const reportOf = (findings: Findings): string =>
  [
    findings.machine,
    ...findings.leftOut,
    ...(findings.isJudged ? ['**Goals**', goals(findings)] : []),
    `**CPU per request** in ms: the program’s + Postgres’s. It depends least on what else the machine does. The server’s includes its later work: sealing the audit log, telling members. In brackets: over how many connections to Postgres; for the others the fastest of ${numbersOfConnections.join(', ')}`,
    cpu(findings.rows),
    '**Requests per second**, medians, and how many times the others’ the server answers',
    throughput(findings.rows),
    '**Latency**, p50 / p99 in ms',
    latency(findings.rows),
    '**A page of 20 by the firm’s size**, one client, p50 in ms',
    growth(findings),
    '**Memory and start**',
    memoryAndStart(findings),
  ].join('\n\n');

const goals = (findings: Findings) =>
  table(
    ['goal', 'measured', ''],
    goalsOf(findings).map(({ goal, measured, isMet }) => [
      goal,
      measured,
      isMet ? 'met' : '**missed**',
    ]),
  );

const cpu = (rows: Row[]) =>
  table(
    [
      ...['case', 'clients', ...servers.map((name) => titles[name])],
      ...['all of it ÷ bare yardstick', 'all of it ÷ typical server', 'the load'],
    ],
    rows.map((row) => [
      ...[row.name, String(row.clients)],
      ...servers.map((name) => {
        const run = row.of[name];
        const figures = pair(run?.cpu, run?.databaseCpu, '+');
        return run ? `${figures} (${run.connections})` : figures;
      }),
      ...(['yardstick', 'typical'] as const).map((other) =>
        short((cpuOf(row, 'server') ?? Number.NaN) / (cpuOf(row, other) ?? Number.NaN)),
      ),
      short(row.of.server?.load),
    ]),
  );

const throughput = (rows: Row[]) =>
  table(
    ['case', 'clients', ...contenderNames.map((name) => titles[name]), ...others.map(overTitle)],
    rows.map((row) => [
      row.name,
      String(row.clients),
      ...contenderNames.map((name) => short(row.of[name]?.perSecond)),
      ...others.map((name) => short(ratioTo(row, name))),
    ]),
  );

const overTitle = (name: ContenderName) => `÷ ${titles[name]}`;

const latency = (rows: Row[]) =>
  table(
    ['case', 'clients', ...contenderNames.map((name) => titles[name])],
    rows.map((row) => [
      ...[row.name, String(row.clients)],
      ...contenderNames.map((name) => pair(row.of[name]?.p50, row.of[name]?.p99, '/')),
    ]),
  );

const growth = ({ growth }: Findings) =>
  table(
    ['leads', ...servers.flatMap((name) => [`${titles[name]}, first`, `${titles[name]}, at 90 %`])],
    growth.map(({ size, first, deep }) => [
      size.toLocaleString('en'),
      ...servers.flatMap((name) => [short(first.of[name]?.p50), short(deep.of[name]?.p50)]),
    ]),
  );

const memoryAndStart = ({ memory, starts }: Findings) =>
  table(
    ['', ...servers.map((name) => titles[name])],
    [
      ['most memory after a run, MB', ...servers.map((name) => short(memory[name]?.own))],
      [
        '… with all of Postgres, which all share, MB',
        ...servers.map((name) => short(memory[name]?.withDatabase)),
      ],
      [
        'start to first answer on a running database, ms',
        ...servers.map((name) => short(starts.onDatabase[name])),
      ],
      ['start with its own Postgres on an empty folder, ms', short(starts.empty), '', ''],
      ['start with its own Postgres again, ms', short(starts.again), '', ''],
      ['… it and its Postgres then, MB', short(starts.wholeTree), '', ''],
    ],
  );

/** Three significant digits, with commas; a dash if there is no figure. */
const short = (figure: number | undefined): string => {
  if (figure === undefined || Number.isNaN(figure)) return '–';
  const text = Number(figure.toPrecision(3));
  return figure >= 100 ? Math.round(figure).toLocaleString('en') : String(text);
};

const pair = (one: number | undefined, other: number | undefined, sign: string) =>
  one === undefined || Number.isNaN(one) ? '–' : `${short(one)} ${sign} ${short(other)}`;

const table = (head: string[], rows: string[][]): string => {
  const line = (cells: string[]) => `| ${cells.join(' | ')} |`;
  return [line(head), line(head.map(() => '---')), ...rows.map(line)].join('\n');
};
