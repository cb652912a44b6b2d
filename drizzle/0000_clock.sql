-- The database's clock, under a name of its own: every rule about time asks it, and a test that
-- must move time replaces it in its own database.
create function moment() returns timestamptz language sql volatile parallel restricted
  return clock_timestamp();
