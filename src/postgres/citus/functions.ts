import { sql } from 'drizzle-orm';
import { statement } from '../statement.ts';

/**
 * The functions and triggers that differ in a spread database, as commands in their order. They are given
 * again after each migration, which may have replaced them by the usual ones.
 */
export const spreadFunctions = [
  // The clock may not be volatile in a change. It is asked by the node that plans the statement.
  `create or replace function moment() returns timestamptz
    language sql stable parallel restricted return statement_timestamp()`,

  // An entry is numbered on the node that stores it, inside the transaction that stores it. A number that
  // is given stays, because a restored one is covered by a seal. A firm that moved here may have numbers
  // that this node has not reached: its entries are numbered behind them, and sealed when the node's numbers
  // continue there (numbers.ts). It asks the shard itself, which the trigger belongs to.
  // Its order names the column: plain `xid` would be its number in the answer, which no index sorts.
  `create or replace function number_entry() returns trigger language plpgsql as $$
  declare
    newest bigint;
  begin
    if new.xid is not null then
      return new;
    end if;
    new.xid := transaction_number();
    execute format('select entry.xid::text::bigint from %s entry where entry.firm_id = $1
      and entry.xid < ''4611686018427387904''::xid8 order by entry.xid desc, entry.id desc limit 1',
      tg_relid::regclass)
    into newest using new.firm_id;
    if newest > new.xid::text::bigint
      and newest >= pg_snapshot_xmax(pg_current_snapshot())::text::bigint + transaction_offset() then
      new.xid := (newest + 1)::text::xid8;
    end if;
    return new;
  end $$`,

  // As drizzle/0007_search.sql and 0020_sorted_matters.sql have them. These also name the firm in every part:
  // a trigger runs on the node of its firm, and may not ask another.
  `create or replace function tell_leads_and_matters() returns trigger language plpgsql as $$
  begin
    update lead set findable_by = split_part(findable_by, '|', 1) || '|'
      || case when new.deleted_at is null then left(new.findable_by, 10000) else '' end
    where firm_id = new.firm_id and contact_id = new.id;
    if new.findable_by = old.findable_by then
      return null;
    end if;
    perform from matter where firm_id = new.firm_id and id in (
      select matter_id from matter_client where firm_id = new.firm_id and contact_id = new.id)
    order by id for no key update;
    update matter set findable_by = split_part(findable_by, '|', 1) || '|' || (
      select left(string_agg(contact.findable_by, '' order by matter_client.position), 10000)
      from matter_client join contact on contact.firm_id = matter_client.firm_id
        and contact.id = matter_client.contact_id
      where matter_client.firm_id = new.firm_id and matter_client.matter_id = matter.id)
    where firm_id = new.firm_id and id in (
      select matter_id from matter_client where firm_id = new.firm_id and contact_id = new.id);
    return null;
  end $$`,
  `create or replace function keep_client_names() returns trigger language plpgsql as $$
  declare
    kept record;
  begin
    for kept in select id from matter where firm_id = new.firm_id and id in (
      select matter_id from matter_client where firm_id = new.firm_id and contact_id = new.id)
    order by id for no key update loop
      update matter set client_name = sorted_client(new.firm_id, kept.id)
      where firm_id = new.firm_id and id = kept.id
        and client_name is distinct from sorted_client(new.firm_id, kept.id);
    end loop;
    return null;
  end $$`,
];

/** The trigger that numbers entries; after the log is spread, and once. */
export const numberEntries = [
  'alter table audit_entry alter column xid drop default',
  `create trigger audit_entry_numbered before insert on audit_entry
    for each row execute function number_entry()`,
];

/** Whether a database is spread: nothing else makes this function. */
export const whetherSpread = statement(
  () => sql<{ isSpread: boolean }>`
    select to_regprocedure('number_entry()') is not null as "isSpread"`,
);
