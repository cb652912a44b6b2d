-- Of an event, its invitation is the mail; a guest's deputy, who is not invited, gets the notice.
create or replace function queue_mail() returns trigger language plpgsql as $$
begin
  insert into mail (firm_id, id, member_id, notification_id, state, queued_at, next_try_at)
  select new.firm_id, gen_random_uuid(), new.member_id, new.id, 'queued', moment(), moment()
  from firm
  join member on member.firm_id = firm.id
  where firm.id = new.firm_id and firm.mails_since is not null
    and member.firm_id = new.firm_id and member.id = new.member_id
    and new.kind <> 'event.cancelled'
    and (new.kind <> 'event.invited' or not exists (select from event_guest guest
      where guest.firm_id = new.firm_id and guest.event_id = new.record_id
        and guest.member_id = new.member_id))
    and case new.kind when 'lead.burst' then 'lead.new' else new.kind end = any(member.mailed_kinds);
  return null;
end $$;
