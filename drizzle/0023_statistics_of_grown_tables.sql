-- Postgres plans a statement by what it knows of its tables, and a connection keeps the plan until Postgres learns
-- more. Of a new table it knows nothing: every index that begins with the firm looks equally good. A server
-- therefore asks each second whether a table has grown (src/postgres/statistics.ts).
--
-- The table that has grown most since Postgres last looked at it: it takes twice as many pages, or twice as many rows
-- and 500, or its statistics are missing. Null if there is none. Wrong plans do no harm to a table below 10 pages.
create function grown_table() returns regclass language sql stable set search_path = pg_catalog, pg_temp as $$
  select pg_class.oid::regclass from pg_class,
    lateral (select pg_relation_size(pg_class.oid) / current_setting('block_size')::int as pages) one
  where relnamespace = 'public'::regnamespace and relkind = 'r'
    and relowner = (select proowner from pg_proc where oid = to_regprocedure('public.analyze_grown_table()'))
    and pages >= 10 and (pages > 2 * relpages
      or pg_stat_get_live_tuples(pg_class.oid) > 2 * greatest(reltuples, 0) + 500
      or reltuples > 0 and not exists (select from pg_stats where schemaname = 'public' and tablename = relname))
  order by pages / (relpages + 1) desc, pg_class.oid limit 1
$$;
--> statement-breakpoint
-- Has Postgres look at that table. Only the owner of a table may have that done, so this runs as the owner. Gives
-- the table's name.
create function analyze_grown_table() returns regclass language plpgsql security definer
  set search_path = pg_catalog, public, pg_temp as $$
declare
  grown regclass := public.grown_table();
begin
  if grown is not null then
    execute format('analyze (skip_locked) %s', grown);
  end if;
  return grown;
end $$;
