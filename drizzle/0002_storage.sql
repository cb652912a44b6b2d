-- Jobs come and go by the minute: keep room for updates in place, and sweep early and often.
alter table job set (
  fillfactor = 70,
  autovacuum_vacuum_scale_factor = 0,
  autovacuum_vacuum_threshold = 200,
  autovacuum_vacuum_cost_delay = 0
);
--> statement-breakpoint
-- A firm's registers are updated by every create and delete.
alter table register set (fillfactor = 50);
--> statement-breakpoint
alter table register_block set (fillfactor = 50);
--> statement-breakpoint
-- How far each key has spent its rate, for all instances together: the moment at which all calls
-- granted so far would have come one by one, and what the last asking was granted. Unlogged: a
-- crash empties it, which only forgives.
create unlogged table rate_bucket (
  firm_id uuid not null,
  key_id uuid not null,
  arrival_at timestamptz not null,
  granted integer not null,
  primary key (firm_id, key_id)
) with (fillfactor = 50, autovacuum_vacuum_scale_factor = 0.01);
--> statement-breakpoint
-- The audit log and its seals are written once. Who owns the tables could drop the triggers: the
-- chain of seals makes a change visible, a head kept elsewhere makes it provable.
create function refuse_change() returns trigger language plpgsql as $$
begin
  raise exception 'the audit log is append-only' using errcode = '42501';
end $$;
--> statement-breakpoint
create trigger audit_entry_append_only before update or delete on audit_entry
  for each row execute function refuse_change();
--> statement-breakpoint
create trigger audit_entry_no_truncate before truncate on audit_entry
  for each statement execute function refuse_change();
--> statement-breakpoint
create trigger audit_seal_append_only before update or delete on audit_seal
  for each row execute function refuse_change();
--> statement-breakpoint
create trigger audit_seal_no_truncate before truncate on audit_seal
  for each statement execute function refuse_change();
--> statement-breakpoint
revoke update, delete, truncate on audit_entry, audit_seal from public, current_user;
