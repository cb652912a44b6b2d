--> statement-breakpoint
-- Whoever is deactivated is signed out, and stays so when they are activated again. Here, and not in
-- the verbs: members stand below sign-in, and no verb may forget it.
create function sign_out_deactivated() returns trigger language plpgsql as $$
begin
  update session set ended_at = new.deactivated_at
    where firm_id = new.firm_id and member_id = new.id and ended_at is null;
  update sign_in_link set used_at = new.deactivated_at
    where firm_id = new.firm_id and member_id = new.id and used_at is null;
  return null;
end $$;
--> statement-breakpoint
create trigger sign_out_deactivated after update of deactivated_at on member
  for each row when (new.deactivated_at is not null and old.deactivated_at is null)
  execute function sign_out_deactivated();
--> statement-breakpoint
-- What a passkey was asked to sign, until it answers: a crash may lose it, and it is not backed up.
-- Nobody has said yet who they are, so that its firm is the nil id where a sign-in begins.
create unlogged table passkey_challenge (
  firm_id uuid not null,
  digest bytea not null,
  expires_at timestamptz not null,
  primary key (firm_id, digest)
);
