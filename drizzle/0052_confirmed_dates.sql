ALTER TABLE "date_rule" ADD COLUMN "needs_confirmation" boolean DEFAULT false NOT NULL;--> statement-breakpoint
ALTER TABLE "ruled_date" ADD COLUMN "counted_by_id" uuid;--> statement-breakpoint
ALTER TABLE "ruled_date" ADD COLUMN "confirmed_by_id" uuid;--> statement-breakpoint
ALTER TABLE "ruled_date" ADD COLUMN "confirmed_at" timestamp (3) with time zone;--> statement-breakpoint
ALTER TABLE "ruled_date" ADD CONSTRAINT "ruled_date_counted_by" FOREIGN KEY ("firm_id","counted_by_id") REFERENCES "public"."member"("firm_id","id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "ruled_date" ADD CONSTRAINT "ruled_date_confirmed_by" FOREIGN KEY ("firm_id","confirmed_by_id") REFERENCES "public"."member"("firm_id","id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "ruled_date" ADD CONSTRAINT "ruled_date_is_confirmed" CHECK ((confirmed_by_id is null) = (confirmed_at is null));