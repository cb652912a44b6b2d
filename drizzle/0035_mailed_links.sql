ALTER TABLE "mail" ADD COLUMN "kind" text DEFAULT 'notice' NOT NULL;--> statement-breakpoint
ALTER TABLE "mail" ADD COLUMN "link_id" uuid;--> statement-breakpoint
ALTER TABLE "mail" ADD COLUMN "link_token" text;--> statement-breakpoint
update "mail" set "kind" = 'morning' where "notification_id" is null;
