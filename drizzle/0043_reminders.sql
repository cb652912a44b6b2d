ALTER TABLE "firm" ADD COLUMN "reminders" jsonb DEFAULT '[{"days":180,"since":null,"until":null},{"days":90,"since":null,"until":null},{"days":60,"since":null,"until":null},{"days":30,"since":null,"until":null},{"days":14,"since":null,"until":null},{"days":7,"since":null,"until":null},{"days":1,"since":null,"until":null}]'::jsonb NOT NULL;--> statement-breakpoint
ALTER TABLE "firm" ADD COLUMN "unheld_days" smallint DEFAULT 2 NOT NULL;--> statement-breakpoint
ALTER TABLE "firm" ADD COLUMN "unheld_days_soon" smallint DEFAULT 1 NOT NULL;--> statement-breakpoint
ALTER TABLE "firm" ADD COLUMN "unheld_soon_from" smallint DEFAULT 14 NOT NULL;--> statement-breakpoint
ALTER TABLE "firm" ADD COLUMN "unheld_at_once_from" smallint DEFAULT 3 NOT NULL;