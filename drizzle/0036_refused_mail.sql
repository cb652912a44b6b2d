ALTER TABLE "member" ADD COLUMN "mail_refused_at" timestamp (3) with time zone;--> statement-breakpoint
ALTER TABLE "member" ADD COLUMN "mail_refused_words" text;--> statement-breakpoint
-- How a mail ends and what follows from it are stored together or not at all, whichever statement ends it. A mail
-- that failed for another reason than its address has none: then the owners are told once a day.
create function tell_mail_end() returns trigger language plpgsql as $$
declare
  refused record;
begin
  if new.state = 'accepted' then
    update member set mail_refused_at = null, mail_refused_words = null
    where firm_id = new.firm_id and id = new.member_id and email = new.address
      and mail_refused_at is not null;
    return null;
  end if;
  if new.address is null then
    insert into notification (firm_id, member_id, kind, cause, title, text, created_at, raised_at)
    select member.firm_id, member.id, 'mail.refused', 'away ' || to_char(moment(), 'YYYY-MM-DD'),
      'Mails could not be sent', coalesce(new.words, ''), moment(), moment()
    from member
    join role on role.firm_id = member.firm_id and role.id = member.role_id
    where member.firm_id = new.firm_id and member.deactivated_at is null and role.holds_all
    on conflict do nothing;
    return null;
  end if;
  update member set mail_refused_at = moment(), mail_refused_words = new.words
  where firm_id = new.firm_id and id = new.member_id and email = new.address
    and mail_refused_at is null
  returning member.name, member.mail_refused_at into refused;
  if found then
    insert into notification
      (firm_id, member_id, kind, cause, record_id, title, text, created_at, raised_at)
    select member.firm_id, member.id, 'mail.refused',
      new.member_id || ':' || extract(epoch from refused.mail_refused_at), new.member_id,
      'Mail to a member is refused', refused.name || ': ' || coalesce(new.words, ''), moment(), moment()
    from member
    join role on role.firm_id = member.firm_id and role.id = member.role_id
    where member.firm_id = new.firm_id and member.deactivated_at is null and role.holds_all
    on conflict do nothing;
  end if;
  return null;
end $$;
--> statement-breakpoint
create trigger mail_ended after update of state on mail for each row
  when (old.state = 'queued' and new.state in ('accepted', 'refused', 'given_up'))
  execute function tell_mail_end();
--> statement-breakpoint
create function forget_refused_mail() returns trigger language plpgsql as $$
begin
  new.mail_refused_at := null;
  new.mail_refused_words := null;
  return new;
end $$;
--> statement-breakpoint
create trigger member_address before update of email on member for each row
  when (old.email is distinct from new.email)
  execute function forget_refused_mail();
