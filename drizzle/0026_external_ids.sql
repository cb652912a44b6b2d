ALTER TABLE "contact" ADD COLUMN "external_id" text;--> statement-breakpoint
ALTER TABLE "lead" ADD COLUMN "external_id" text;--> statement-breakpoint
ALTER TABLE "note" ADD COLUMN "came_through_api" boolean DEFAULT false NOT NULL;--> statement-breakpoint
CREATE UNIQUE INDEX "contact_external_id" ON "contact" USING btree ("firm_id","external_id") WHERE external_id is not null and deleted_at is null;--> statement-breakpoint
CREATE UNIQUE INDEX "lead_external_id" ON "lead" USING btree ("firm_id","external_id") WHERE external_id is not null and deleted_at is null;