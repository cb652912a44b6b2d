ALTER TABLE "task" ALTER COLUMN "matter_id" DROP NOT NULL;--> statement-breakpoint
ALTER TABLE "task" ADD COLUMN "lead_id" uuid;--> statement-breakpoint
ALTER TABLE "task" ADD CONSTRAINT "task_lead" FOREIGN KEY ("firm_id","lead_id") REFERENCES "public"."lead"("firm_id","id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
CREATE INDEX "task_of_lead" ON "task" USING btree ("firm_id","lead_id","id") WHERE lead_id is not null;--> statement-breakpoint
ALTER TABLE "task" ADD CONSTRAINT "task_is_about" CHECK (coalesce(matter_id, lead_id) is not null);--> statement-breakpoint
-- A notice of a task names the task from now on: it may be about a lead.
update notification set record_id = split_part(cause, ':', 1)::uuid
where kind = 'task.assigned' and cause ~ '^[0-9a-f-]{36}:';
