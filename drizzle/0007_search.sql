-- What a search asks an index for is hashed together with the firm, so that all firms share one and
-- none lengthens another's search; and together with the run that a record is in, a short one and a
-- long one (`runLengths`), so that the newest can be looked through first. A function that is said
-- to cost much is never called where an index answers.
--
-- What the index has of a record's text (`findable_by`): its words; and of its numbers, which people
-- group as they like, the beginnings and all parts of three digits as well (`coveringParts`).
create function findable_keys(firm uuid, ordinal bigint, findable_by text) returns bigint[]
  language plpgsql immutable strict parallel safe cost 10000 as $$
declare
  short_run bigint := uuid_hash_extended(firm, ordinal / 4096);
  long_run bigint := uuid_hash_extended(firm, -1 - ordinal / 131072);
  word text;
  part text;
  keys bigint[] := '{}';
begin
  foreach word in array string_to_array(findable_by, ' ') loop
    continue when word in ('', '|');
    keys := keys || array[hashtextextended(word, short_run), hashtextextended(word, long_run)];
    continue when word collate "C" > ':';
    for at in 0 .. length(word) - 1 loop
      part := '%' || substr(' ' || word, at, 3);
      keys := keys || array[hashtextextended(part, short_run), hashtextextended(part, long_run)];
    end loop;
  end loop;
  return keys;
end $$;
--> statement-breakpoint
-- What the index has of a known word, for those who look for a part of it: the beginnings, and all
-- parts of three letters.
create function word_part_keys(firm uuid, word text) returns bigint[]
  language plpgsql immutable strict parallel safe cost 10000 as $$
declare
  seed bigint := uuid_hash_extended(firm, 0);
  keys bigint[] := '{}';
begin
  for at in 0 .. length(word) - 1 loop
    keys := keys || hashtextextended('%' || substr(' ' || word, at, 3), seed);
  end loop;
  return keys;
end $$;
--> statement-breakpoint
-- What is left of a word's first seven letters without any one of them, or any two where there are
-- seven. Of two words that are a small typo apart, some of it is the same.
create function misspelling_keys(firm uuid, word text) returns bigint[]
  language plpgsql immutable strict parallel safe cost 10000 as $$
declare
  seed bigint := uuid_hash_extended(firm, 0);
  letters text := left(word, 7);
  keys bigint[] := array[hashtextextended(letters, seed)];
  once text;
begin
  if length(word) not between 4 and 64 then
    return '{}';
  end if;
  for one in 1 .. length(letters) loop
    once := overlay(letters placing '' from one for 1);
    keys := keys || hashtextextended(once, seed);
    continue when length(letters) < 7;
    for other in one .. length(once) loop
      keys := keys || hashtextextended(overlay(once placing '' from other for 1), seed);
    end loop;
  end loop;
  return keys;
end $$;
--> statement-breakpoint
DROP INDEX "known_word_misspelled";--> statement-breakpoint
DROP INDEX "contact_search";--> statement-breakpoint
DROP INDEX "lead_search";--> statement-breakpoint
DROP INDEX "matter_search";--> statement-breakpoint
ALTER TABLE "known_word" DROP COLUMN "misspellings";--> statement-breakpoint
-- Letters and digits of one word become words of their own, and so do parts of very long ones (`apart`).
create function pg_temp.apart(findable_by text) returns text language sql immutable as $$
  select regexp_replace(regexp_replace(regexp_replace(findable_by,
    '([0-9])(?=[^0-9 ])', '\1 ', 'g'), '([^0-9 ])(?=[0-9])', '\1 ', 'g'),
    '([^ ]{100})(?=[^ ])', '\1 ', 'g')
$$;
--> statement-breakpoint
update contact set findable_by = pg_temp.apart(findable_by)
where findable_by ~ '[0-9][^0-9 ]|[^0-9 ][0-9]|[^ ]{101}';
--> statement-breakpoint
-- A number without zeros in front of digits, and all its digits as one (`findableNumber`).
create function pg_temp.other_forms(number text) returns text language sql immutable as $$
  select regexp_replace(regexp_replace(lower(number), '[^[:alnum:]]+', ' ', 'g'),
    '(^|[^0-9])0+(?=[0-9])', '\1', 'g') || ' ' || regexp_replace(number, '[^0-9]', '', 'g') || ' '
$$;
--> statement-breakpoint
-- Leads and matters are also found by what their contacts are found by (`findableWith`).
update lead set findable_by =
  pg_temp.apart(lead.findable_by || pg_temp.other_forms(lead.number)) || '|'
  || coalesce((select left(contact.findable_by, 10000) from contact where contact.firm_id = lead.firm_id
    and contact.id = lead.contact_id and contact.deleted_at is null), '');
--> statement-breakpoint
update matter set findable_by =
  pg_temp.apart(matter.findable_by || pg_temp.other_forms(matter.number)) || '|'
  || coalesce((select left(string_agg(contact.findable_by, '' order by matter_client.position), 10000)
    from matter_client join contact on contact.firm_id = matter_client.firm_id
      and contact.id = matter_client.contact_id
    where matter_client.firm_id = matter.firm_id and matter_client.matter_id = matter.id), '');
--> statement-breakpoint
insert into known_word (firm_id, word)
select distinct firm_id, word from (
  select firm_id, findable_by from contact union all select firm_id, findable_by from lead
  union all select firm_id, findable_by from matter) record,
  string_to_table(split_part(findable_by, '|', 1), ' ') word
where word <> '' and word !~ '^[0-9]'
on conflict do nothing;
--> statement-breakpoint
CREATE INDEX "known_word_search" ON "known_word" USING gin (word_part_keys("firm_id", "word"),misspelling_keys("firm_id", "word"));--> statement-breakpoint
CREATE INDEX "contact_search" ON "contact" USING gin (findable_keys("firm_id", "ordinal", "findable_by")) WITH (gin_pending_list_limit=128) WHERE deleted_at is null;--> statement-breakpoint
CREATE INDEX "lead_search" ON "lead" USING gin (findable_keys("firm_id", "ordinal", "findable_by")) WITH (gin_pending_list_limit=128) WHERE deleted_at is null;--> statement-breakpoint
CREATE INDEX "matter_search" ON "matter" USING gin (findable_keys("firm_id", "ordinal", "findable_by")) WITH (gin_pending_list_limit=128) WHERE deleted_at is null;--> statement-breakpoint
-- When a contact is called or reached otherwise from now on, so are its leads and matters; when it
-- is deleted its leads lose it, while a matter keeps its client's name. Matters are locked first: two
-- contacts of one may change at the same time.
create function tell_leads_and_matters() returns trigger language plpgsql as $$
begin
  update lead set findable_by = split_part(findable_by, '|', 1) || '|'
    || case when new.deleted_at is null then left(new.findable_by, 10000) else '' end
  where firm_id = new.firm_id and contact_id = new.id;
  if new.findable_by = old.findable_by then
    return null;
  end if;
  perform from matter where firm_id = new.firm_id and id in (
    select matter_id from matter_client where firm_id = new.firm_id and contact_id = new.id)
  order by id for no key update;
  update matter set findable_by = split_part(findable_by, '|', 1) || '|' || (
    select left(string_agg(contact.findable_by, '' order by matter_client.position), 10000)
    from matter_client join contact on contact.firm_id = matter_client.firm_id
      and contact.id = matter_client.contact_id
    where matter_client.firm_id = matter.firm_id and matter_client.matter_id = matter.id)
  where firm_id = new.firm_id and id in (
    select matter_id from matter_client where firm_id = new.firm_id and contact_id = new.id);
  return null;
end $$;
--> statement-breakpoint
create trigger contact_tells after update of findable_by, deleted_at on contact for each row
  when (old.findable_by <> new.findable_by or (old.deleted_at is null) <> (new.deleted_at is null))
  execute function tell_leads_and_matters();
