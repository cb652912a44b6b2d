-- The transaction of a created lead: the statements that the server sends, in the trips in which it
-- sends them. The two registers are taken by one statement, since pgbench cannot read the answers of
-- two sent together; ids come from it too. Without the look-up of the key.
\startpipeline
begin isolation level read committed;
select firm_id, id, name, position, created_at from lead_stage where firm_id = :firm order by position;
select live, live_private, number_format from register where firm_id = :firm and kind = 'lead';
select firm_id, id, applies_to, name, type, options, position, created_at from custom_field where firm_id = :firm and applies_to = 'LEAD' order by position, id;
\endpipeline
with of_contact as (
  update register set live = live + 1, live_private = live_private + 0, last_ordinal = last_ordinal + 1,
    last_at = case when last_at - moment() < interval '10 minutes'
      then greatest(moment(), last_at + interval '1 millisecond') else moment() end,
    last_number = last_number + (number_format is not null)::int
  where firm_id = :firm and kind = 'contact' returning last_ordinal, last_at
), of_lead as (
  update register set live = live + 1, live_private = live_private + 0, last_ordinal = last_ordinal + 1,
    last_at = case when last_at - moment() < interval '10 minutes'
      then greatest(moment(), last_at + interval '1 millisecond') else moment() end,
    last_number = last_number + (number_format is not null)::int
  where firm_id = :firm and kind = 'lead' returning last_ordinal, last_at, last_number
)
select of_contact.last_ordinal as contact_ordinal, of_contact.last_at as contact_at, uuidv7() as contact_id,
  of_lead.last_ordinal as lead_ordinal, of_lead.last_at as lead_at, uuidv7() as lead_id,
  'L-' || of_lead.last_number as number
from of_contact, of_lead \gset
\startpipeline
insert into register_block as standing (firm_id, kind, length, block, live, live_private)
  select :firm, 'contact', length, :contact_ordinal / length, 1, 0 from unnest('{500,25000}'::int[]) length
  on conflict (firm_id, kind, length, block) do update set live = standing.live + excluded.live, live_private = standing.live_private + excluded.live_private;
insert into register_block as standing (firm_id, kind, length, block, live, live_private)
  select :firm, 'lead', length, :lead_ordinal / length, 1, 0 from unnest('{500,25000}'::int[]) length
  on conflict (firm_id, kind, length, block) do update set live = standing.live + excluded.live, live_private = standing.live_private + excluded.live_private;
insert into contact (firm_id, id, ordinal, type, name, first_name, last_name, emails, phones, custom_fields, findable_by, created_at, updated_at)
  values (:firm, :contact_id, :contact_ordinal, 'PERSON', 'Zoe Quill', 'Zoe', 'Quill',
    '[{"address": "zoe@quill.example", "label": null, "isPrimary": true}]', '[]', '{}', ' zoe quill zoe quill example ', :contact_at, :contact_at);
insert into audit_entry (firm_id, at, action, record_kind, record_id, member_id, key_id, request_id, changes)
  values (:firm, moment(), 'create', 'contact', :contact_id, :member, :key, '019f0000-0000-7000-8000-000000000001',
    '{"name": {"before": null, "after": "Zoe Quill"}, "type": {"before": null, "after": "PERSON"}, "firstName": {"before": null, "after": "Zoe"}, "lastName": {"before": null, "after": "Quill"}, "emails": {"before": null, "after": [{"address": "zoe@quill.example", "label": null, "isPrimary": true}]}}');
insert into lead (firm_id, id, ordinal, number, status, value, is_private, lead_stage_id, contact_id, practice_area_id, custom_fields, findable_by, came_through_api, created_at, updated_at)
  values (:firm, :lead_id, :lead_ordinal, :number, 'ACTIVE', null, false, :lead_stage, :contact_id, null, '{}', ' l 0001 ', true, :lead_at, :lead_at);
insert into audit_entry (firm_id, at, action, record_kind, record_id, member_id, key_id, request_id, changes)
  values (:firm, moment(), 'create', 'lead', :lead_id, :member, :key, '019f0000-0000-7000-8000-000000000001',
    '{"number": {"before": null, "after": "L-0001"}, "status": {"before": null, "after": "ACTIVE"}, "isPrivate": {"before": null, "after": false}, "leadStageId": {"before": null, "after": "019f0000-0000-7000-8000-000000000001"}, "contactId": {"before": null, "after": "019f0000-0000-7000-8000-000000000001"}}');
insert into job (firm_id, kind, dedupe_key, ref, payload, run_at)
  values (:firm, 'lead_announce', 'lead_announce ' || :number, :lead_id, '{"requestId": "019f0000-0000-7000-8000-000000000001"}', moment() + make_interval(secs => 60)) on conflict do nothing;
commit;
\endpipeline
