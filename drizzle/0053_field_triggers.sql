ALTER TABLE "date_rule" ADD COLUMN "field_id" uuid;--> statement-breakpoint
ALTER TABLE "date_rule" ADD CONSTRAINT "date_rule_has_field" CHECK ((trigger = 'field') = (field_id is not null));