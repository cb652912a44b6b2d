import { afterAll, expect, test } from 'bun:test';
import { connect, ownDatabase } from '../support/database.ts';
import { makeFirm, startTestServer } from '../support/firm.ts';

test('A client is told that the disk is full, and what is there is still answered', async () => {
  const databaseUrl = await ownDatabase();
  const server = await startTestServer({ databaseUrl });
  const { owner } = await makeFirm(server);
  const sql = connect(databaseUrl);
  afterAll(() => sql.end());
  // As Postgres reports a table without room. The faults laboratory has a disk that is really full.
  await sql.unsafe(`
    create function find_no_room() returns trigger language plpgsql as
      $$ begin raise exception 'could not extend file' using errcode = '53100'; end $$;
    create trigger no_room before insert on contact for each statement execute function find_no_room()`);
  const { status, headers, body } = await owner.post('/v1/contacts', { lastName: 'Quill' });
  expect([status, headers.get('retry-after')]).toEqual([503, '2']);
  expect(body.error.message).toStartWith("The disk of the server's database is full");
  expect((await owner.get('/v1/contacts')).body.pagination.total).toBe(0);
  await sql`drop trigger no_room on contact`;
  expect((await owner.post('/v1/contacts', { lastName: 'Quill' })).status).toBe(201);
});
