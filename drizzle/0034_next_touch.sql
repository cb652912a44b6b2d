ALTER TABLE "lead" ADD COLUMN "next_touch" text;--> statement-breakpoint
ALTER TABLE "lead" ADD COLUMN "next_touch_due_at" timestamp (3) with time zone;--> statement-breakpoint
ALTER TABLE "lead" ADD CONSTRAINT "lead_next_touch_form" CHECK (next_touch ~ '^\d{4}-\d\d-\d\d(T\d\d:\d\d)?$');