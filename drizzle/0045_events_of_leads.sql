ALTER TABLE "calendar_event" ALTER COLUMN "matter_id" DROP NOT NULL;--> statement-breakpoint
ALTER TABLE "calendar_event" ADD COLUMN "lead_id" uuid;--> statement-breakpoint
ALTER TABLE "calendar_event" ADD CONSTRAINT "calendar_event_lead" FOREIGN KEY ("firm_id","lead_id") REFERENCES "public"."lead"("firm_id","id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
CREATE INDEX "calendar_event_of_lead" ON "calendar_event" USING btree ("firm_id","lead_id","starts_at") WHERE lead_id is not null;--> statement-breakpoint
ALTER TABLE "calendar_event" ADD CONSTRAINT "calendar_event_is_about" CHECK (coalesce(matter_id, lead_id) is not null);