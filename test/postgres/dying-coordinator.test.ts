/** What a caller sees when the coordinator of a cluster has just been killed. */
import { expect, test } from 'bun:test';
import { areSpread } from '../support/cluster.ts';
import { connect, ownDatabase } from '../support/database.ts';
import { makeFirm, startTestServer } from '../support/firm.ts';

test.skipIf(areSpread)(
  'a create that a dying coordinator refuses is answered 503, never 500, and can be repeated',
  async () => {
    const databaseUrl = await ownDatabase();
    const server = await startTestServer({ databaseUrl });
    const { owner } = await makeFirm(server);
    const sql = connect(databaseUrl);
    // Postgres itself says here what the extension of Citus says there.
    await sql.unsafe(`create function die() returns trigger language plpgsql as $$
      begin raise exception 'postmaster was shut down, exiting' using errcode = 'XX000'; end $$;
      create trigger dies before insert on lead for each row execute function die()`);
    const create = () =>
      owner.post('/v1/leads', { firstName: 'Zoe' }, { 'Idempotency-Key': 'a death' });
    const refused = await create();
    expect(refused.status).toBe(503);
    expect(refused.headers.get('retry-after')).toBe('2');
    await sql`drop trigger dies on lead`;
    expect((await create()).status).toBe(201);
    await sql.end();
  },
);
