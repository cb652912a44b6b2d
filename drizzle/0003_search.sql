CREATE TABLE "known_word" (
	"firm_id" uuid NOT NULL,
	"word" text NOT NULL,
	"misspellings" text[] NOT NULL,
	CONSTRAINT "known_word_firm_id_word_pk" PRIMARY KEY("firm_id","word")
);
--> statement-breakpoint
DROP INDEX "contact_search";--> statement-breakpoint
DROP INDEX "lead_search";--> statement-breakpoint
DROP INDEX "matter_search";--> statement-breakpoint
CREATE INDEX "known_word_misspelled" ON "known_word" USING gin ("firm_id","misspellings");--> statement-breakpoint
CREATE INDEX "contact_search" ON "contact" USING gin ("firm_id",("ordinal" / 5000),"findable_by" gin_trgm_ops) WITH (gin_pending_list_limit=256) WHERE deleted_at is null;--> statement-breakpoint
CREATE INDEX "lead_search" ON "lead" USING gin ("firm_id",("ordinal" / 5000),"findable_by" gin_trgm_ops) WITH (gin_pending_list_limit=256) WHERE deleted_at is null;--> statement-breakpoint
CREATE INDEX "matter_search" ON "matter" USING gin ("firm_id",("ordinal" / 5000),"findable_by" gin_trgm_ops) WITH (gin_pending_list_limit=256) WHERE deleted_at is null;