import { sql } from 'drizzle-orm';
import { type Given, shortStatement } from '../postgres/statement.ts';
import type { Reader } from '../record/actor.ts';
import { register } from '../register/table.ts';
import { runLengths } from '../search-text/search-text.ts';

/** A run of ordinals as the index knows it: its key, its first ordinal, and the first one after it. */
type Run = { key: number; from: number; end: number };

/** By kind (`contact`): the last ordinal, and the runs to search, those with the newest records first. */
export type RunsOfKinds = Record<(typeof kinds)[number], { last: number; runs: Run[] }>;

const kinds = ['contact', 'lead', 'matter'] as const;

/** The runs of each searched kind. What is committed later may be missing from them. */
export const runsOf = async (reader: Reader): Promise<RunsOfKinds> => {
  const rows = await reader.run(lastOrdinals, { firmId: reader.firmId });
  const lastOf = (kind: string) => Number(rows.find((row) => row.kind === kind)?.last ?? 0);
  const ofKind = (kind: string) => ({ last: lastOf(kind), runs: runsUpTo(lastOf(kind)) });
  return { contact: ofKind('contact'), lead: ofKind('lead'), matter: ofKind('matter') };
};

const lastOrdinals = shortStatement(
  ({ firmId }: Given<'firmId'>) => sql<{ kind: string; last: string }>`
    select ${register.kind}, ${register.lastOrdinal} as last from ${register}
    where ${register.firmId} = ${firmId} and ${register.kind} in ('contact', 'lead', 'matter')`,
);

/** Among so many contacts, one is found by its words about as fast as by its id. */
export const fewContacts = 20_000;

/** This many of the newest short runs are searched before all older records in long runs. */
const newestRuns = 8;

/** Up to an ordinal: short runs for the newest records, then long ones for all older records. */
const runsUpTo = (last: number): Run[] => {
  const { short, long } = runLengths;
  const newest = Math.floor(last / short);
  const oldestShort = Math.max(newest - newestRuns + 1, 0);
  const older = oldestShort * short;
  const countLong = Math.ceil(older / long);
  return [
    ...Array.from({ length: newest - oldestShort + 1 }, (_, at) => newest - at).map((run) => ({
      key: run,
      from: run * short,
      end: (run + 1) * short,
    })),
    // A long run may hold records that were searched in short ones already.
    ...Array.from({ length: countLong }, (_, at) => countLong - 1 - at).map((run) => ({
      key: -1 - run,
      from: run * long,
      end: Math.min((run + 1) * long, older),
    })),
  ];
};

/** The runs as values of a statement: `contact_last`, `contact_keys`, `contact_froms`, `contact_ends`. */
export const valuesOfRuns = (of: RunsOfKinds): Record<string, number | number[]> =>
  Object.fromEntries(
    kinds.flatMap((kind) => {
      const { last, runs } = of[kind];
      return [
        [`${kind}_last`, last],
        [`${kind}_keys`, runs.map(({ key }) => key)],
        [`${kind}_froms`, runs.map(({ from }) => from)],
        [`${kind}_ends`, runs.map(({ end }) => end)],
      ];
    }),
  );
