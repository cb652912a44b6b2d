ALTER TABLE "firm" ADD COLUMN "formats" jsonb DEFAULT '{}'::jsonb NOT NULL;--> statement-breakpoint
ALTER TABLE "member" ADD COLUMN "formats" jsonb DEFAULT '{}'::jsonb NOT NULL;