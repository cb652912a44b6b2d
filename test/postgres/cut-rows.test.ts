/** What a statement says to a spread database of a table beside rows that were cut before. */
import { expect, test } from 'bun:test';
import { sql } from 'drizzle-orm';
import { type Given, statement } from '../../src/postgres/statement.ts';

const texts = (made: ReturnType<typeof statement>) => {
  const plain = (text: string) => text.replace(/\s+/g, ' ').trim();
  return { usual: plain(made().text), spread: plain(made().inForm('spread').text) };
};

test('a table that is joined to cut rows names its firm once more, for a spread database only', () => {
  const { usual, spread } = texts(
    statement(
      ({ firmId, max }: Given<{ firmId: string; max: number }>) => sql`
        select 1 from (select * from lead where lead.firm_id = ${firmId} limit ${max}) cut
        left join contact on contact.firm_id = cut.firm_id and contact.id = cut.contact_id`,
    ) as never,
  );
  expect(usual).toEndWith(
    'left join contact on contact.firm_id = cut.firm_id and contact.id = cut.contact_id',
  );
  expect(spread).toBe(
    usual.replace('= cut.firm_id and', '= cut.firm_id and contact.firm_id = $1 and'),
  );
});

test('what is joined to rows that were not cut, or inside of the cut, is left as it is written', () => {
  const { usual, spread } = texts(
    statement(
      ({ firmId }: Given<'firmId'>) => sql`
        select 1 from (select lead.* from lead join member on member.firm_id = lead.firm_id
          where lead.firm_id = ${firmId} limit 5) lead
        join (select * from note where note.firm_id = ${firmId}) note on note.id = lead.id
        join contact on contact.firm_id = note.firm_id`,
    ) as never,
  );
  expect(spread).toBe(usual);
});

test('a change of the rows that a query has locked names their firm', () => {
  const { spread } = texts(
    statement(
      ({ id, firmId }: Given<'id' | 'firmId'>) => sql`
        update job set starts = 0 where (firm_id, id) in (
          select firm_id, id from job where id = ${id} and firm_id = ${firmId} for update)`,
    ) as never,
  );
  expect(spread).toContain('where firm_id = $2 and (firm_id, id) in (');
});
