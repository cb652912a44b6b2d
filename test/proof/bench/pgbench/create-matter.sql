-- The transaction of a created matter with three clients and a team of three: the statements that the
-- server sends, in the trips in which it sends them. Without the look-up of the key.
\startpipeline
begin isolation level read committed;
select firm_id, id, ordinal, name, created_at, updated_at, deleted_at from practice_area where firm_id = :firm and id = :area and deleted_at is null;
select id, name from contact where firm_id = :firm and id = any(:clients::uuid[]) and deleted_at is null;
select id, name from member where firm_id = :firm and id = any(:members::uuid[]) and deactivated_at is null;
select live, live_private, number_format from register where firm_id = :firm and kind = 'matter';
select firm_id, id, applies_to, name, type, options, position, created_at from custom_field where firm_id = :firm and applies_to = 'MATTER' order by position, id;
\endpipeline
\startpipeline
select firm_id, id, ordinal, name, created_at, updated_at, deleted_at from practice_area where firm_id = :firm and id = :area and deleted_at is null for key share;
select firm_id, id, practice_area_id, name, position, created_at, deleted_at from stage where firm_id = :firm and practice_area_id = :area and deleted_at is null order by position;
\endpipeline
update register set live = live + 1, live_private = live_private + 0, last_ordinal = last_ordinal + 1,
  last_at = case when last_at - moment() < interval '10 minutes'
    then greatest(moment(), last_at + interval '1 millisecond') else moment() end,
  last_number = last_number + (number_format is not null)::int
where firm_id = :firm and kind = 'matter'
returning last_ordinal as ordinal, last_at as at, uuidv7() as matter_id, 'M-' || last_number as number \gset
\startpipeline
insert into register_block as standing (firm_id, kind, length, block, live, live_private)
  select :firm, 'matter', length, :ordinal / length, 1, 0 from unnest('{500,25000}'::int[]) length
  on conflict (firm_id, kind, length, block) do update set live = standing.live + excluded.live, live_private = standing.live_private + excluded.live_private;
insert into matter (firm_id, id, ordinal, number, title, description, status, open_date, close_date, sol_date, practice_area_id, stage_id, custom_fields, findable_by, times_archived, created_at, updated_at)
  values (:firm, :matter_id, :ordinal, :number, 'Quill v. Rook', null, 'ACTIVE', '2026-03-14', null, null, :area, :stage, '{}', ' m 0001 quill v rook ', 0, :at, :at);
insert into audit_entry (firm_id, at, action, record_kind, record_id, member_id, key_id, request_id, changes)
  values (:firm, moment(), 'create', 'matter', :matter_id, :member, :key, '019f0000-0000-7000-8000-000000000001', :changes);
insert into matter_client (firm_id, matter_id, position, contact_id, is_primary, is_bill_recipient)
  select :firm, :matter_id, sent.position - 1, "contactId", "isPrimary", "isBillRecipient"
  from rows from (json_to_recordset(:matter_clients::json) as ("contactId" uuid, "isPrimary" boolean, "isBillRecipient" boolean))
    with ordinality as sent("contactId", "isPrimary", "isBillRecipient", position);
insert into matter_team (firm_id, matter_id, position, member_id, role, allocation)
  select :firm, :matter_id, sent.position - 1, "memberId", role, allocation
  from rows from (json_to_recordset(:matter_team::json) as ("memberId" uuid, role text, allocation float8))
    with ordinality as sent("memberId", role, allocation, position);
insert into job (firm_id, kind, dedupe_key, ref, payload, run_at)
  values (:firm, 'matter_tell', 'matter.added ' || :number, :matter_id, '{"notice": "matter.added", "occasion": "created", "requestId": "019f0000-0000-7000-8000-000000000001"}', moment() + make_interval(secs => 0)) on conflict do nothing;
commit;
\endpipeline
