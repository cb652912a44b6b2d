ALTER TABLE "task" ADD COLUMN "rrule" text;--> statement-breakpoint
ALTER TABLE "task" ADD COLUMN "follows_id" uuid;--> statement-breakpoint
ALTER TABLE "task" ADD CONSTRAINT "task_follows" FOREIGN KEY ("firm_id","follows_id") REFERENCES "public"."task"("firm_id","id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
CREATE UNIQUE INDEX "task_follows_once" ON "task" USING btree ("firm_id","follows_id") WHERE follows_id is not null;--> statement-breakpoint
ALTER TABLE "task" ADD CONSTRAINT "task_repeats_from_its_day" CHECK (rrule is null or due_on is not null);