ALTER TABLE "receipt" ALTER COLUMN "matter_id" DROP NOT NULL;--> statement-breakpoint
ALTER TABLE "receipt" ADD COLUMN "task_id" uuid;--> statement-breakpoint
ALTER TABLE "receipt" ADD COLUMN "event_id" uuid;--> statement-breakpoint
CREATE UNIQUE INDEX "receipt_once_of_task" ON "receipt" USING btree ("firm_id","task_id","member_id") WHERE withdrawn_at is null;--> statement-breakpoint
CREATE UNIQUE INDEX "receipt_once_of_event" ON "receipt" USING btree ("firm_id","event_id","member_id") WHERE withdrawn_at is null;--> statement-breakpoint
CREATE INDEX "receipt_of_task" ON "receipt" USING btree ("firm_id","task_id");--> statement-breakpoint
CREATE INDEX "receipt_of_event" ON "receipt" USING btree ("firm_id","event_id");--> statement-breakpoint
CREATE INDEX "receipt_of_notice" ON "receipt" USING btree ("firm_id","notification_id");--> statement-breakpoint
ALTER TABLE "receipt" ADD CONSTRAINT "receipt_of_one" CHECK (num_nonnulls(matter_id, task_id, event_id) = 1);
--> statement-breakpoint
-- As with limitation dates, whichever statement changes the task or the event.
create function withdraw_receipts_of_task() returns trigger language plpgsql as $$
begin
  update receipt set withdrawn_at = moment(),
    withdrawn_because = case
      when new.cancelled_at is not null then 'cancelled'
      when new.done_at is not null then 'done'
      when new.assignee_id is distinct from old.assignee_id then 'given_away'
      else 'moved' end
  where firm_id = new.firm_id and task_id = new.id and withdrawn_at is null;
  return null;
end $$;
--> statement-breakpoint
create trigger task_receipts after update on task for each row
  when (old.due_on is distinct from new.due_on
    or old.assignee_id is distinct from new.assignee_id
    or old.done_at is null and new.done_at is not null
    or old.cancelled_at is null and new.cancelled_at is not null)
  execute function withdraw_receipts_of_task();
--> statement-breakpoint
create function withdraw_receipts_of_event() returns trigger language plpgsql as $$
begin
  update receipt set withdrawn_at = moment(),
    withdrawn_because = case when new.cancelled_at is not null then 'cancelled' else 'moved' end
  where firm_id = new.firm_id and event_id = new.id and withdrawn_at is null;
  return null;
end $$;
--> statement-breakpoint
create trigger event_receipts after update on calendar_event for each row
  when (old.starts_at is distinct from new.starts_at
    or old.first_day is distinct from new.first_day
    or old.cancelled_at is null and new.cancelled_at is not null)
  execute function withdraw_receipts_of_event();
--> statement-breakpoint
create function withdraw_receipts_of_guest() returns trigger language plpgsql as $$
begin
  update receipt set withdrawn_at = moment(), withdrawn_because = 'uninvited'
  where firm_id = old.firm_id and event_id = old.event_id and member_id = old.member_id
    and withdrawn_at is null;
  return null;
end $$;
--> statement-breakpoint
create trigger guest_receipts after delete on event_guest for each row
  when (old.member_id is not null)
  execute function withdraw_receipts_of_guest();
