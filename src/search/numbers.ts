import { sql } from 'drizzle-orm';
import { lead } from '../leads/table.ts';
import { matter } from '../matters/table.ts';
import { type Given, statement } from '../postgres/statement.ts';
import type { Reader } from '../record/actor.ts';
import { canSeeLead, type Viewer, viewerOf } from '../visibility/visibility.ts';
import type { Kinds } from './matches.ts';

/** A lead or a matter that has exactly the searched number. */
export type Numbered = { type: 'LEAD' | 'MATTER'; id: string };

/** The records with exactly this number. Zeros in front of it can be left out: L-41 is L-0041. */
export const recordsNumbered = async (
  reader: Reader,
  kinds: Kinds,
  q: string,
): Promise<Numbered[]> => {
  const numbers = possibleNumbers(q);
  if (numbers.length === 0) return [];
  const { leads, matters } = kinds;
  return reader.run(byNumber, { ...viewerOf(reader), leads, matters, numbers });
};

const longestNumber = 64;
const mostDigits = 8;
const mostGroups = 3;

/** What the number may be in full: any one of its groups of digits may have more zeros. */
const possibleNumbers = (q: string): string[] => {
  const groups = [...q.matchAll(/[0-9]+/g)];
  if (groups.length === 0 || groups.length > mostGroups || q.length > longestNumber) return [];
  const padded = groups.flatMap(({ 0: digits, index }) =>
    Array.from(
      { length: Math.max(0, mostDigits - digits.length) + 1 },
      (_, zeros) => `${q.slice(0, index)}${'0'.repeat(zeros)}${q.slice(index)}`,
    ),
  );
  return [...new Set(padded.flatMap((number) => [number, number.toUpperCase()]))];
};

type Values = Viewer & { leads: boolean; matters: boolean; numbers: string[] };

const byNumber = statement(
  (given: Given<Values>) => sql<Numbered>`
    select 'LEAD' as type, ${lead.id} from ${lead}
    where ${lead.firmId} = ${given.firmId} and ${lead.number} = any(${given.numbers}::text[])
      and ${lead.deletedAt} is null and ${canSeeLead(given)} and ${given.leads}::boolean
    union all
    select 'MATTER', ${matter.id} from ${matter}
    where ${matter.firmId} = ${given.firmId} and ${matter.number} = any(${given.numbers}::text[])
      and ${matter.deletedAt} is null and ${given.matters}::boolean`,
);
