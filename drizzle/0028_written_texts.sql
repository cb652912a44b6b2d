-- What the index has of a text: each of its words, behind the end of its firm's id, the first letter of its
-- record's kind, and the short run that it is in (`runLengths`). So all firms share one index, none
-- lengthens another's search, the newest records can be looked through first, and the beginning of a word
-- leads to it.
create function text_lexemes(firm uuid, kind text, ordinal bigint, words text) returns tsvector
  language sql immutable strict parallel safe cost 10000 as $$
  select array_to_tsvector(coalesce(
    array_agg(right(firm::text, 8) || left(kind, 1) || ordinal / 4096 || '.' || word), '{}'))
  from string_to_table(words, ' ') word where word <> ''
$$;
--> statement-breakpoint
CREATE TABLE "written_text" (
	"firm_id" uuid NOT NULL,
	"id" uuid NOT NULL,
	"source" text NOT NULL,
	"record_kind" text NOT NULL,
	"record_id" uuid NOT NULL,
	"record_ordinal" bigint NOT NULL,
	"words" text NOT NULL,
	CONSTRAINT "written_text_firm_id_id_pk" PRIMARY KEY("firm_id","id")
);
--> statement-breakpoint
CREATE INDEX "written_text_search" ON "written_text" USING gin (text_lexemes("firm_id", "record_kind", "record_ordinal", "words")) WITH (fastupdate=false);
--> statement-breakpoint
-- What was written before is added in steps, while the firm works (`search/jobs.ts`).
insert into job (firm_id, kind, dedupe_key, payload, run_at)
select id, 'text_find', 'text_find', '{}', moment() from firm;
