-- A guest from outside whose address refuses the mail of an event is no member: the owners are told once for each guest
-- and event, because that guest does not know of it.
create or replace function tell_mail_end() returns trigger language plpgsql as $$
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
  if new.member_id is null then
    insert into notification (firm_id, member_id, kind, cause, title, text, created_at, raised_at)
    select member.firm_id, member.id, 'mail.refused', 'guest ' || new.event_id || ' ' || new.guest,
      'Mail to a guest of an event is refused', new.guest || ': ' || coalesce(new.words, ''),
      moment(), moment()
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
