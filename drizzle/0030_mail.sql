CREATE TABLE "mail" (
	"firm_id" uuid NOT NULL,
	"id" uuid NOT NULL,
	"member_id" uuid NOT NULL,
	"notification_id" bigint,
	"state" text NOT NULL,
	"queued_at" timestamp (3) with time zone NOT NULL,
	"next_try_at" timestamp (3) with time zone,
	"tries" smallint DEFAULT 0 NOT NULL,
	"message_id" text,
	"address" text,
	"code" integer,
	"words" text,
	"ended_at" timestamp (3) with time zone,
	CONSTRAINT "mail_firm_id_id_pk" PRIMARY KEY("firm_id","id")
);
--> statement-breakpoint
CREATE TABLE "mail_account" (
	"firm_id" uuid PRIMARY KEY NOT NULL,
	"host" text NOT NULL,
	"port" integer NOT NULL,
	"security" text NOT NULL,
	"from_address" text NOT NULL,
	"signs_in_by" text NOT NULL,
	"user_name" text,
	"token_url" text,
	"client_id" text,
	"scope" text,
	"secret" text,
	"updated_at" timestamp (3) with time zone NOT NULL
);
--> statement-breakpoint
ALTER TABLE "firm" ADD COLUMN "mails_since" timestamp (3) with time zone;--> statement-breakpoint
ALTER TABLE "firm" ADD COLUMN "mails_name" boolean DEFAULT false NOT NULL;--> statement-breakpoint
ALTER TABLE "member" ADD COLUMN "mailed_kinds" text[] DEFAULT '{"limitation.near","task.assigned","lead.assigned","matter.added","event.invited","event.cancelled","account.warned"}' NOT NULL;--> statement-breakpoint
ALTER TABLE "member" ADD COLUMN "morning_kinds" text[] DEFAULT '{}' NOT NULL;--> statement-breakpoint
ALTER TABLE "mail" ADD CONSTRAINT "mail_member" FOREIGN KEY ("firm_id","member_id") REFERENCES "public"."member"("firm_id","id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "mail_account" ADD CONSTRAINT "mail_account_firm" FOREIGN KEY ("firm_id") REFERENCES "public"."firm"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
CREATE INDEX "mail_due" ON "mail" USING btree ("next_try_at") WHERE state = 'queued';--> statement-breakpoint
CREATE INDEX "mail_newest" ON "mail" USING btree ("firm_id","queued_at");--> statement-breakpoint
-- A notice and its mail are stored together or not at all, whichever statement stores the notice.
create function queue_mail() returns trigger language plpgsql as $$
begin
  insert into mail (firm_id, id, member_id, notification_id, state, queued_at, next_try_at)
  select new.firm_id, gen_random_uuid(), new.member_id, new.id, 'queued', moment(), moment()
  from firm
  join member on member.firm_id = firm.id
  where firm.id = new.firm_id and firm.mails_since is not null
    and member.firm_id = new.firm_id and member.id = new.member_id
    and case new.kind when 'lead.burst' then 'lead.new' else new.kind end = any(member.mailed_kinds);
  return null;
end $$;
--> statement-breakpoint
create trigger notification_mailed after insert on notification for each row
  execute function queue_mail();
