ALTER TABLE "task_list_line" RENAME COLUMN "start_day" TO "trigger";--> statement-breakpoint
ALTER TABLE "task_list_line" ADD COLUMN "field_id" uuid;--> statement-breakpoint
ALTER TABLE "task_list_line" ADD COLUMN "event_kind_id" uuid;--> statement-breakpoint
ALTER TABLE "task_list_line" ADD CONSTRAINT "task_list_line_event_kind" FOREIGN KEY ("firm_id","event_kind_id") REFERENCES "public"."event_kind"("firm_id","id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "task_list_line" ADD CONSTRAINT "task_list_line_has_event_kind" CHECK ((trigger = 'event') = (event_kind_id is not null));--> statement-breakpoint
ALTER TABLE "task_list_line" ADD CONSTRAINT "task_list_line_has_field" CHECK ((trigger = 'field') = (field_id is not null));--> statement-breakpoint
ALTER TABLE "task_list_line" ADD CONSTRAINT "task_list_line_has_trigger" CHECK (trigger is not null or num_nonnulls(field_id, event_kind_id) = 0);