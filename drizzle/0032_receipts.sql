CREATE TABLE "receipt" (
	"firm_id" uuid NOT NULL,
	"id" uuid NOT NULL,
	"matter_id" uuid NOT NULL,
	"member_id" uuid NOT NULL,
	"day" date NOT NULL,
	"step" smallint NOT NULL,
	"asked_as" text NOT NULL,
	"asked_at" timestamp (3) with time zone NOT NULL,
	"told_at" timestamp (3) with time zone,
	"notification_id" bigint,
	"opened_at" timestamp (3) with time zone,
	"acknowledged_at" timestamp (3) with time zone,
	"withdrawn_at" timestamp (3) with time zone,
	"withdrawn_because" text,
	CONSTRAINT "receipt_firm_id_id_pk" PRIMARY KEY("firm_id","id")
);
--> statement-breakpoint
ALTER TABLE "receipt" ADD CONSTRAINT "receipt_matter" FOREIGN KEY ("firm_id","matter_id") REFERENCES "public"."matter"("firm_id","id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "receipt" ADD CONSTRAINT "receipt_member" FOREIGN KEY ("firm_id","member_id") REFERENCES "public"."member"("firm_id","id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
CREATE UNIQUE INDEX "receipt_once" ON "receipt" USING btree ("firm_id","matter_id","member_id","day","step") WHERE withdrawn_at is null;--> statement-breakpoint
CREATE INDEX "receipt_of_matter" ON "receipt" USING btree ("firm_id","matter_id");--> statement-breakpoint
CREATE INDEX "receipt_open" ON "receipt" USING btree ("firm_id","member_id") WHERE acknowledged_at is null and withdrawn_at is null;--> statement-breakpoint
CREATE INDEX "mail_of_notice" ON "mail" USING btree ("firm_id","notification_id");--> statement-breakpoint
-- What was asked about a date that no longer stands is withdrawn in the same transaction, whichever statement
-- changes the matter.
create function withdraw_receipts() returns trigger language plpgsql as $$
begin
  update receipt set withdrawn_at = moment(),
    withdrawn_because = case
      when new.deleted_at is not null then 'deleted'
      when new.sol_date is distinct from old.sol_date then 'moved'
      when new.limitation_met_on is not null then 'met'
      else 'archived' end
  where firm_id = new.firm_id and matter_id = new.id and withdrawn_at is null;
  return null;
end $$;
--> statement-breakpoint
create trigger matter_receipts after update on matter for each row
  when (old.sol_date is distinct from new.sol_date
    or old.limitation_met_on is null and new.limitation_met_on is not null
    or old.status <> 'ARCHIVE' and new.status = 'ARCHIVE'
    or old.deleted_at is null and new.deleted_at is not null)
  execute function withdraw_receipts();
