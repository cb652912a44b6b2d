/**
 * Closing out what belongs to a matter: once, after it was archived or deleted
 * (docs/design/later.md, V24).
 */
import type postgres from 'postgres';

const tasksOfMatter = 3;

/** Gives every matter that is made open tasks and a coming event, in the same transaction. */
export const giveRecords = (sql: postgres.Sql) =>
  sql.unsafe(`
    create function give_records() returns trigger language plpgsql as $$
    declare event uuid := gen_random_uuid();
    begin
      insert into task (firm_id, id, matter_id, title, created_at, updated_at)
      select new.firm_id, gen_random_uuid(), new.id, 'To do', new.created_at, new.created_at
      from generate_series(1, ${tasksOfMatter});
      insert into calendar_event (firm_id, id, matter_id, title, starts_at, created_at, updated_at)
      values (new.firm_id, event, new.id, 'Hearing', new.created_at + interval '1000 days',
        new.created_at, new.created_at);
      insert into event_guest (firm_id, event_id, email, member_id)
      select firm_id, event, email, id from member
      where firm_id = new.firm_id order by email limit 1;
      return new;
    end $$;
    create trigger give_records after insert on matter
      for each row execute function give_records()`);

/** Matters whose records stand otherwise than they must; entries and notices that are missing or doubled. */
export const closingMisfits = async (sql: postgres.Sql, firmId: string): Promise<string[]> => {
  const [counts] = await sql<{ half: string[]; entries: string[]; notices: string[] }[]>`
    with belonging as (
      select matter_id, id, cancelled_at is not null as is_cancelled, false as is_event
        from task where firm_id = ${firmId}
      union all select matter_id, id, cancelled_at is not null, true
        from calendar_event where firm_id = ${firmId}),
    entry as (
      select record_id, count(*) as entries from audit_entry
      where firm_id = ${firmId} and record_kind in ('task', 'calendar_event') group by 1),
    notice as (
      select record_id, count(*) as notices from notification
      where firm_id = ${firmId} and kind = 'event.cancelled' group by 1)
    select
      array(select distinct matter_id::text from belonging join matter
        on matter.firm_id = ${firmId} and matter.id = matter_id
        where is_cancelled <> (deleted_at is not null or times_archived > 0)) as half,
      array(select id::text from belonging left join entry on record_id = id
        where coalesce(entries, 0) <> is_cancelled::int) as entries,
      array(select matter_id::text from belonging left join notice on record_id in (id, matter_id)
        where is_event and coalesce(notices, 0) <> is_cancelled::int) as notices`;
  return [
    ...(counts?.half ?? []).map((id) => `open records of ${id}`),
    ...(counts?.entries ?? []).map((id) => `entries of ${id}`),
    ...(counts?.notices ?? []).map((id) => `guests of ${id}`),
  ];
};
