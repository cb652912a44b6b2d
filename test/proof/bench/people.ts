/** Contacts as firms have them, with leads and matters of every tenth, stored in bulk without a door. */
import type postgres from 'postgres';

const words = (text: string) => text.trim().split(/\s+/);

export const firstNames =
  words(`James Mary John Patricia Robert Jennifer Michael Linda David Elizabeth
  William Barbara Richard Susan Joseph Jessica Thomas Karen Charles Sarah Daniel Lisa Matthew Nancy
  Anthony Sandra Mark Ashley Donald Emily Steven Kimberly Andrew Margaret Paul Donna Joshua Michelle
  Kenneth Carol Kevin Amanda Brian Melissa George Deborah Timothy Stephanie Ronald Rebecca Jason
  Laura Edward Helen Jeffrey Sharon Ryan Cynthia Jacob Kathleen Gary Amy Nicholas Angela Eric Anna
  Jonathan Ruth Stephen Brenda Larry Pamela Justin Nicole Scott Katherine Brandon Samantha Benjamin
  Christine Samuel Emma Gregory Catherine Alexander Virginia Patrick Rachel Frank Carolyn Raymond`);

export const lastNames =
  words(`Johnson Williams Smith Brown Jones Garcia Miller Davis Rodriguez Martinez
  Hernandez Lopez Gonzalez Wilson Anderson Taylor Moore Jackson Martin Lee Perez Thompson White
  Harris Sanchez Clark Ramirez Lewis Robinson Walker Young Allen King Wright Scott Torres Nguyen
  Hill Flores Green Adams Nelson Baker Hall Rivera Campbell Mitchell Carter Roberts Gomez Phillips
  Evans Turner Diaz Parker Cruz Edwards Collins Reyes Stewart Morris Morales Murphy Cook Rogers
  Gutierrez Ortiz Morgan Cooper Peterson Bailey Reed Kelly Howard Ramos Kim Cox Ward Richardson`);

const syllables = words(`ba bel bor cas chi dan del dor eck fen gar gol han hor ing jar kel kov lan
  lem lin mal mer mon nar nes nov pal per quin rad ras ros sel sko tan ter val vic zel`);

const trades = words('Holdings Partners Logistics Builders Foods Capital Systems Energy');
const mails = words('gmail.com outlook.com yahoo.com icloud.com proton.me aol.com');
const causes = ['divorce', 'estate of', 'v. State', 'custody', 'lease', 'merger', 'appeal', 'will'];

type Firm = { id: string; leadStageId: string; practiceAreaId: string; stageId: string };

/** The rare contact that every firm of the bench has once, among its oldest. */
export const oddOne = {
  firstName: 'Zebulon',
  lastName: 'Quackenbush',
  phone: '+1 (907) 555-0147',
};

const pick = (of: string, by: string) => `(${of})[1 + floor((${by}) * cardinality(${of}))::int]`;
// Few names are many people's, and every other surname is rare.
const syllable = pick('$5::text[]', 'random()');
const person = `
  select n, random() < 0.1 as is_company,
    ${pick('$3::text[]', 'power(random(), 1.3)')} as first_name,
    case when random() < 0.5 then ${pick('$4::text[]', 'power(random(), 1.5)')}
      else initcap(${syllable} || ${syllable} || ${syllable}) end as last_name,
    ${pick('$6::text[]', 'random()')} as trade,
    case when random() < 0.7 then ${pick('$7::text[]', 'random()')}
      else ${syllable} || ${syllable} || '.com' end as mail,
    floor(random() * 1000)::int as tail, 2000000000 + floor(random() * 7999999999)::bigint as digits
  from generate_series(1, $2::int) n`;

/**
 * Stores this many contacts of a firm, findable as if made by the verbs, and a tenth as many leads
 * and matters.
 */
export const storePeople = async (sql: postgres.Sql, firm: Firm, contacts: number) => {
  const lists = [firstNames, lastNames, syllables, trades, mails];
  await sql`select setseed(0.42)`;
  await sql.unsafe(
    `insert into contact (firm_id, id, ordinal, type, name, first_name, last_name, company_name,
      emails, phones, custom_fields, findable_by, created_at, updated_at)
    select $1::uuid, gen_random_uuid(), n, case when is_company then 'COMPANY' else 'PERSON' end, name,
      case when not is_company then first_name end, case when not is_company then last_name end,
      case when is_company then name end,
      jsonb_build_array(jsonb_build_object('address', email, 'label', null, 'isPrimary', true)),
      jsonb_build_array(jsonb_build_object('number', phone, 'label', null, 'isPrimary', true)), '{}',
      ' ' || lower(name) || ' ' || regexp_replace(translate(lower(email), '.@', '  '), '(\\d+)', ' \\1')
        || ' ' || regexp_replace(phone, '\\D', '', 'g') || ' ',
      now() - ($2 - n) * interval '1 second', now()
    from (
      select n, case when n = 7 then false else is_company end as is_company,
        case when n = 7 then '${oddOne.firstName}' else first_name end as first_name,
        case when n = 7 then '${oddOne.lastName}' else last_name end as last_name,
        case when n = 7 then '${oddOne.firstName} ${oddOne.lastName}'
          when is_company then last_name || ' ' || trade || ' LLC'
          else first_name || ' ' || last_name end as name,
        case when n = 7 then 'zq@odd.example'
          else lower(first_name || '.' || last_name) || tail || '@' || mail end as email,
        case when n = 7 then '${oddOne.phone}'
          else '+1 ' || regexp_replace(digits::text, '(...)(...)(....)', '(\\1) \\2-\\3') end as phone
      from (${person}) person) named`,
    [firm.id, contacts, ...lists] as never[],
  );
  // Foreign keys are checked by plans that follow the statistics.
  await sql`analyze contact`;
  await sql`
    insert into lead (firm_id, id, ordinal, number, status, is_private, lead_stage_id, contact_id,
      custom_fields, findable_by, came_through_api, created_at, updated_at)
    select firm_id, gen_random_uuid(), ordinal / 10, 'L-' || ordinal / 10, 'ACTIVE', random() < 0.1,
      ${firm.leadStageId}, id, '{}', ' l ' || ordinal / 10 || ' |' || findable_by, true, created_at,
      updated_at
    from contact where firm_id = ${firm.id} and ordinal % 10 = 0`;
  await sql`
    insert into matter (firm_id, id, ordinal, number, title, status, open_date, practice_area_id,
      stage_id, custom_fields, findable_by, times_archived, created_at, updated_at)
    select firm_id, id, ordinal / 10, 'M-2026-' || ordinal / 10, title, 'ACTIVE', '2026-02-03',
      ${firm.practiceAreaId}, ${firm.stageId}, '{}',
      ' m 2026 ' || ordinal / 10 || ' 2026' || ordinal / 10 || ' ' || replace(lower(title), '.', '')
        || ' |' || findable_by, 0, created_at, updated_at
    from (select *, name || ' ' || (${sql.array(causes)}::text[])[1 + ordinal / 10 % 8] as title
      from contact where firm_id = ${firm.id} and ordinal % 10 = 1) of_client`;
  await sql`analyze matter`;
  await sql`
    insert into matter_client (firm_id, matter_id, position, contact_id, is_primary, is_bill_recipient)
    select firm_id, id, 0, id, true, true from matter where firm_id = ${firm.id}`;
  await sql`
    insert into register (firm_id, kind)
    select ${firm.id}, unnest(array['contact', 'lead', 'matter']) on conflict do nothing`;
  await sql`
    update register set live = counted.live, live_private = counted.live_private,
      last_ordinal = counted.last, last_number = counted.last, last_at = now()
    from (
      select 'contact' as kind, count(*)::int as live, 0 as live_private, max(ordinal) as last
        from contact where firm_id = ${firm.id}
      union all select 'lead', count(*)::int, count(*) filter (where is_private)::int, max(ordinal)
        from lead where firm_id = ${firm.id}
      union all select 'matter', count(*)::int, 0, max(ordinal) from matter where firm_id = ${firm.id}
    ) counted
    where register.firm_id = ${firm.id} and register.kind = counted.kind`;
};

/** Fills tables without their search indexes, and makes those afterwards: a fraction of the time. */
export const withoutSearchIndexes = async (sql: postgres.Sql, fill: () => Promise<void>) => {
  const indexes = await sql`
    select indexname, indexdef from pg_indexes
    where indexname like '%\\_search'`;
  for (const { indexname } of indexes) await sql`drop index ${sql(indexname)}`;
  await fill();
  await sql`set maintenance_work_mem = '256MB'`;
  for (const { indexdef } of indexes) await sql.unsafe(indexdef);
};

/** Remembers the words of what is stored, as `addToDictionary` does with each write. */
export const storeWords = (sql: postgres.Sql, firmId: string) => sql`
  insert into known_word (firm_id, word)
  select distinct ${firmId}::uuid, word from (
    select findable_by from contact where firm_id = ${firmId}
    union all select findable_by from matter where firm_id = ${firmId}
  ) text, string_to_table(findable_by, ' ') word where word ~ '^[a-z]+$'`;
