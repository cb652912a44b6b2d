import { sql } from 'drizzle-orm';
import { forCluster } from '../postgres/citus/forms.ts';
import type { Runs, Transaction } from '../postgres/pool.ts';
import { type Given, statement } from '../postgres/statement.ts';
import { register } from '../register/table.ts';
import { hashed, isOfFirm } from './index-keys.ts';
import { partsOf } from './search-text.ts';

/** Words of digits cannot be known or misspelled: each is as good as another. */
export const isNumber = (word: string): boolean => /^[0-9]/.test(word);

/**
 * Words that were found stored a short time ago, by firm. Most words of a new record are already
 * known from other records.
 */
const lately = new Set<string>();
const maxLately = 100_000;

/**
 * Remembers a record's own words, in the write that stores them; those of a private record
 * separately. Nothing needs to be waited for.
 */
export const addToDictionary = (
  transaction: Transaction,
  firmId: string,
  searchText: string,
  isPrivate: boolean,
) => {
  const words = partsOf(searchText)
    .own.split(' ')
    .filter((word) => word && !isNumber(word));
  const noted = (word: string) => `${firmId} ${isPrivate} ${word}`;
  const unknown = [...new Set(words)].filter((word) => !lately.has(noted(word)));
  if (unknown.length === 0) return;
  // Sorted, so that two writes that learn the same words do not deadlock.
  void transaction.run(insertWords, { firmId, words: unknown.sort(), isPrivate });
  transaction.afterCommit(() => {
    if (lately.size > maxLately) lately.clear();
    for (const word of unknown) lately.add(noted(word));
  });
};

type Learned = Given<{ firmId: string; words: string[]; isPrivate: boolean }>;

// Beside a row of the firm, the words become rows on the firm's node, and its write is committed in one phase.
const insertWords = statement(
  ({ firmId, words, isPrivate }: Learned) => sql`
    insert into known_word (firm_id, word, is_private)
    select ${forCluster(sql`${firmId}::uuid`, sql`${register.firmId}`)}, word, ${isPrivate}::boolean
    from unnest(${words}::text[]) word
    ${forCluster(sql``, sql`cross join ${register} where ${register.firmId} = ${firmId} and ${register.kind} = 'lead'`)}
    on conflict do nothing`,
);

/** With more words than this, reading every record's text is no slower than asking the index. */
const maxBeginnings = 500;

/**
 * Of a record with a word that begins like this, the index has at least one of these. Empty if they
 * would be too many.
 */
export const keysOfBeginnings = async (
  { run, firmId }: Pick<Runs, 'run'> & { firmId: string },
  beginning: string,
): Promise<string[]> => {
  const letters = [...beginning];
  if (isNumber(beginning)) {
    return [letters.length < 3 ? `% ${beginning}` : `%${letters.slice(-3).join('')}`];
  }
  const parts = [
    `% ${letters.slice(0, 2).join('')}`,
    ...(letters.length > 2 ? [`%${letters.slice(0, 3).join('')}`] : []),
  ];
  const known = await run(beginningWords, { firmId, parts, beginning });
  return known.length > maxBeginnings ? [] : [beginning, ...known.map(({ word }) => word)];
};

const beginningWords = statement(
  ({ firmId, parts, beginning }: Given<{ firmId: string; parts: string[]; beginning: string }>) =>
    sql<{ word: string }>`
      select distinct word from known_word
      where word_part_keys(firm_id, word) @> ${hashed(parts, firmId, sql`0`)}
        and ${isOfFirm(sql`firm_id`, firmId)} and starts_with(word, ${beginning})
      limit ${sql.raw(String(maxBeginnings + 1))}`,
);
