ALTER TABLE "mail" ALTER COLUMN "member_id" DROP NOT NULL;--> statement-breakpoint
ALTER TABLE "calendar_event" ADD COLUMN "sequence" integer DEFAULT 0 NOT NULL;--> statement-breakpoint
ALTER TABLE "mail" ADD COLUMN "event_id" uuid;--> statement-breakpoint
ALTER TABLE "mail" ADD COLUMN "event_method" text;--> statement-breakpoint
ALTER TABLE "mail" ADD COLUMN "event_sequence" integer;--> statement-breakpoint
ALTER TABLE "mail" ADD COLUMN "guest" text;--> statement-breakpoint
CREATE INDEX "mail_event" ON "mail" USING btree ("firm_id","event_id") WHERE event_id is not null;
--> statement-breakpoint
-- Of an event, its invitation is the mail.
create or replace function queue_mail() returns trigger language plpgsql as $$
begin
  insert into mail (firm_id, id, member_id, notification_id, state, queued_at, next_try_at)
  select new.firm_id, gen_random_uuid(), new.member_id, new.id, 'queued', moment(), moment()
  from firm
  join member on member.firm_id = firm.id
  where firm.id = new.firm_id and firm.mails_since is not null
    and member.firm_id = new.firm_id and member.id = new.member_id
    and new.kind not in ('event.invited', 'event.cancelled')
    and case new.kind when 'lead.burst' then 'lead.new' else new.kind end = any(member.mailed_kinds);
  return null;
end $$;
