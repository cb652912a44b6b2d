ALTER TABLE "member" ADD COLUMN "deputy_id" uuid;--> statement-breakpoint
ALTER TABLE "member" ADD COLUMN "away_from" date;--> statement-breakpoint
ALTER TABLE "member" ADD COLUMN "away_until" date;--> statement-breakpoint
ALTER TABLE "member" ADD CONSTRAINT "member_deputy" FOREIGN KEY ("firm_id","deputy_id") REFERENCES "public"."member"("firm_id","id") ON DELETE no action ON UPDATE no action;