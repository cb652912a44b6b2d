-- The database's clock, under a name of its own: every rule about time asks it, and a test that
-- must move time replaces it in its own database.
create function moment() returns timestamptz language sql volatile parallel restricted
  return clock_timestamp();
--> statement-breakpoint
-- Search: parts of words, and of one firm at a time. Both extensions are trusted: the database's
-- owner may create them.
create extension if not exists pg_trgm;
--> statement-breakpoint
create extension if not exists btree_gin;
