/**
 * A search reads records run by run, the newest first, and finds parts of words through the words
 * that contain them. The result must not depend on where a record is, or on how many there are.
 */
import { afterAll, beforeEach, describe, expect, test } from 'bun:test';
import { runLengths, searchTextOf } from '../../../src/search-text/search-text.ts';
import { connect, ownDatabase, sharedDatabase } from '../../support/database.ts';
import { type Caller, type Firm, makeFirm, startTestServer } from '../../support/firm.ts';

const server = await startTestServer();
const sql = connect(await sharedDatabase());
afterAll(() => sql.end());

let firm: Firm;
beforeEach(async () => {
  firm = await makeFirm(server);
});

type Found = { type: string; id: string; title: string };

const search = async (q: string, by: Caller = firm.owner, page = '') => {
  const { status, body } = await by.get(`/v1/search?q=${encodeURIComponent(q)}${page}`);
  expect(status).toBe(200);
  return body as { data: Found[]; pagination: { total: number } };
};

const titles = async (q: string, by?: Caller) => (await search(q, by)).data.map((one) => one.title);

const made = async (path: string, body: object) => {
  const answer = await firm.owner.post(path, body);
  expect(answer.status).toBe(201);
  return answer.body.data as { id: string };
};

/** As if this many of a kind had come and gone before the next one. */
const standAt = (kind: string, ordinal: number) =>
  sql`insert into register (firm_id, kind, last_ordinal) values (${firm.id}, ${kind}, ${ordinal - 1})
    on conflict (firm_id, kind) do update set last_ordinal = excluded.last_ordinal`;

/** Stores contacts with these last names at once, as the door does one by one. */
const store = async (lastNames: string[]) => {
  const rows = lastNames.map((name) => ({ name, findable: searchTextOf([name]) }));
  await sql.begin(async (tx) => {
    const [{ last } = { last: 0 }] = await tx`
      insert into register as standing (firm_id, kind, live, last_ordinal)
      values (${firm.id}, 'contact', ${rows.length}, ${rows.length})
      on conflict (firm_id, kind) do update set live = standing.live + excluded.live,
        last_ordinal = standing.last_ordinal + excluded.last_ordinal
      returning (last_ordinal - ${rows.length})::int as last`;
    await tx`
      insert into contact (firm_id, id, ordinal, type, name, last_name, emails, phones, custom_fields,
        findable_by, created_at, updated_at)
      select ${firm.id}, gen_random_uuid(), ${last} + at, 'PERSON', name, name, '[]', '[]', '{}',
        findable, moment() - interval '1 hour' + at * interval '1 millisecond', moment()
      from jsonb_array_elements(${tx.json(rows)}) with ordinality one (value, at),
        jsonb_to_record(value) as row (name text, findable text)`;
    await tx`
      insert into known_word (firm_id, word)
      select distinct ${firm.id}::uuid, word from jsonb_array_elements(${tx.json(rows)}) one,
        string_to_table(trim(one ->> 'findable'), ' ') word where word !~ '^[0-9]'
      on conflict do nothing`;
  });
};

describe('What is found is the same wherever it stands', () => {
  const { short, long } = runLengths;
  const places = [1, 2, short - 1, short, short + 1, 8 * short - 1, 8 * short, 9 * short].concat(
    [long - 1, long, long + 1, 2 * long - 1, 2 * long].flatMap((at) => [at, at + 9 * short]),
  );
  const ordinals = [...new Set(places)].sort((a, b) => a - b);

  test('by whole words, parts, digits and misspelled words, newest first, after every growth', async () => {
    const expected: string[] = [];
    for (const ordinal of ordinals) {
      await standAt('contact', ordinal);
      await made('/v1/contacts', {
        firstName: `N${ordinal}`,
        lastName: 'Quackenbush',
        phones: ['+1 907 555 0147'],
      });
      expected.unshift(`N${ordinal} Quackenbush`);
      for (const q of ['quackenbush', 'ackenbu', 'q', '907-555', '0147', 'quakenbush 0147']) {
        const { data, pagination } = await search(q, firm.owner, '&limit=100');
        expect([q, ordinal, pagination.total]).toEqual([q, ordinal, expected.length]);
        expect(data.map(({ title }) => title)).toEqual(expected);
      }
    }
    expect(expected.length).toBeGreaterThan(15);
  });

  test('leads and matters too, by their own words and their contacts’', async () => {
    const practiceAreaId = firm.practiceAreas.Family?.id;
    const client = await made('/v1/contacts', { lastName: 'Vance' });
    for (const ordinal of ordinals) {
      await Promise.all([standAt('lead', ordinal), standAt('matter', ordinal)]);
      await made('/v1/leads', { lastName: 'Quackenbush' });
      const parts = { openDate: '2026-02-03', clientContactIds: [client.id] };
      await made('/v1/matters', { practiceAreaId, title: 'Harbour lease', ...parts });
    }
    const leads = await firm.callerOf('ada@harrow.example', ['leads:read']);
    for (const q of ['quackenbush', 'ackenbu', 'l quack', 'quakenbush'])
      expect([q, (await search(q, leads)).pagination.total]).toEqual([q, ordinals.length]);
    for (const q of ['harbour', 'vance lease', 'arbou vanc', 'harbor vance', 'm-2026 vance'])
      expect([q, (await titles(q)).filter((one) => one === 'Harbour lease')]).toEqual([
        q,
        Array(Math.min(ordinals.length, 20)).fill('Harbour lease'),
      ]);
  });

  test('one among thousands, the newest of what thousands hold, and both together', async () => {
    await store(['Zebulon Smith', ...Array.from({ length: 9_000 }, (_, n) => `Smith Number${n}`)]);
    expect(await titles('zebulon')).toEqual(['Zebulon Smith']);
    expect(await titles('ebulo smith')).toEqual(['Zebulon Smith']);
    expect(await titles('zebulun')).toEqual(['Zebulon Smith']);
    expect(await titles('number 17 smith')).toContain('Smith Number17');
    for (const q of ['smith', 'mit']) {
      const { data, pagination } = await search(q, firm.owner, '&limit=3');
      expect(data.map(({ title }) => title)).toEqual(
        [8_999, 8_998, 8_997].map((n) => `Smith Number${n}`),
      );
      expect(pagination.total).toBeGreaterThanOrEqual(200);
    }
  });
});

describe('A part that very many different words hold', () => {
  const letters = 'abcdefghijklmnopqrst';
  const names = [...letters].flatMap((a) => [...letters].map((b) => `An${a}${b}ton`));

  test('finds what was just written, and what has it as a whole word or beside another word', async () => {
    await store(['Oldest Ton', 'Antony Quackenbush', ...names, ...Array(1_200).fill('Filler')]);
    await made('/v1/contacts', { lastName: 'Anzzton' });
    for (const q of ['an', 'ton', 'nzzto']) expect(await titles(q)).toContain('Anzzton');
    expect((await titles('ton'))[0]).toBe('Oldest Ton');
    expect(await titles('ton quackenbush')).toEqual(['Antony Quackenbush']);
    expect(await titles('an ackenbu')).toEqual(['Antony Quackenbush']);
    expect((await search('an')).pagination.total).toBeGreaterThanOrEqual(200);
  });
});

describe('Nobody’s records are found by another’s keys', () => {
  test('what the index takes for the same is compared again: firm, words and visibility', async () => {
    const databaseUrl = await ownDatabase();
    const alone = await startTestServer({ databaseUrl });
    const [mine, theirs] = [await makeFirm(alone), await makeFirm(alone)];
    const own = connect(databaseUrl);
    // As if all hashes were equal by chance: each record is under the words of both firms.
    await own.unsafe(`
      alter function findable_keys rename to honest_keys;
      create function findable_keys(firm uuid, ordinal bigint, findable_by text) returns bigint[]
        language sql immutable strict cost 10000 as $$
        select public.honest_keys('${mine.id}', ordinal, words) || public.honest_keys('${theirs.id}', ordinal, words)
        from (select findable_by || ' quill reed 0100 ') with_others (words) $$;
      create index contact_lies on contact using gin (findable_keys(firm_id, ordinal, findable_by));
      drop index contact_search`);
    await mine.owner.post('/v1/contacts', { lastName: 'Quill' });
    await theirs.owner.post('/v1/contacts', { lastName: 'Reed' });
    for (const q of ['quill', 'uil', 'quil l', 'quyll'])
      expect([q, await titles(q, mine.owner)]).toEqual([q, q === 'quil l' ? [] : ['Quill']]);
    for (const q of ['reed', 'ree', '0100', '010']) expect(await titles(q, mine.owner)).toEqual([]);
    expect(await titles('quill', theirs.owner)).toEqual([]);
    expect(await titles('reed', theirs.owner)).toEqual(['Reed']);
    await own.end();
  });
});
