ALTER TABLE "known_word" ADD COLUMN "is_private" boolean DEFAULT false NOT NULL;--> statement-breakpoint
ALTER TABLE "known_word" DROP CONSTRAINT "known_word_firm_id_word_pk";--> statement-breakpoint
ALTER TABLE "known_word" ADD CONSTRAINT "known_word_firm_id_word_is_private_pk" PRIMARY KEY("firm_id","word","is_private");--> statement-breakpoint
-- The words of private contacts are known to those who see them, and to nobody else where no other
-- record holds them.
insert into known_word (firm_id, word, is_private)
select distinct firm_id, word, true from contact, string_to_table(findable_by, ' ') word
where is_private and word <> '' and word !~ '^[0-9]';
--> statement-breakpoint
delete from known_word known using known_word secret
where secret.is_private and secret.firm_id = known.firm_id and secret.word = known.word
  and not known.is_private
  and (known.firm_id, known.word) not in (
    select firm_id, word from (
      select firm_id, findable_by from contact where not is_private
      union all select firm_id, findable_by from lead union all select firm_id, findable_by from matter
    ) record, string_to_table(split_part(findable_by, '|', 1), ' ') word
    where (firm_id, word) in (select firm_id, word from known_word where is_private));
