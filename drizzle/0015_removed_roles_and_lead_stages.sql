ALTER TABLE "role" DROP CONSTRAINT "role_name";--> statement-breakpoint
ALTER TABLE "lead_stage" DROP CONSTRAINT "lead_stage_name";--> statement-breakpoint
ALTER TABLE "role" ADD COLUMN "deleted_at" timestamp (3) with time zone;--> statement-breakpoint
ALTER TABLE "lead_stage" ADD COLUMN "deleted_at" timestamp (3) with time zone;--> statement-breakpoint
CREATE UNIQUE INDEX "role_name" ON "role" USING btree ("firm_id","name") WHERE deleted_at is null;--> statement-breakpoint
CREATE UNIQUE INDEX "lead_stage_name" ON "lead_stage" USING btree ("firm_id","name") WHERE deleted_at is null;