import { afterAll, expect, test } from 'bun:test';
import { sealAll } from '../../support/chain.ts';
import { connect, ownDatabase } from '../../support/database.ts';
import { makeFirm, startTestServer } from '../../support/firm.ts';
import { run } from '../../support/terminal.ts';
import { isWhole } from '../../support/whole.ts';

// With 30 of them, one statement for them all takes longer than a statement may.
const count = Number(process.env.LARGE_ENTRIES ?? (isWhole ? 5 : 3));

test('a log of many entries of 16 MiB is sealed, proven and listed, a few at a time', async () => {
  const databaseUrl = await ownDatabase();
  const server = await startTestServer({ databaseUrl });
  const firm = await makeFirm(server);
  await server.stop();
  const sql = connect(databaseUrl);
  afterAll(() => sql.end());
  await sql`
    insert into audit_entry (firm_id, at, action, record_kind, record_id, request_id, changes)
    select ${firm.id}, moment(), 'update', 'matter', gen_random_uuid(), 'large ' || n,
      jsonb_build_object('description', jsonb_build_object('before', n, 'after', repeat(chr(10), 8000000)))
    from generate_series(1, ${count}::int) n`;
  await sealAll(databaseUrl);
  const verified = await run(databaseUrl, ['audit', 'verify']);
  expect(verified).toMatchObject({ exitCode: 0, err: '' });
  expect(verified.out).toContain(' 0 not yet; all fit.');
  const listed = await run(databaseUrl, ['audit', 'list']);
  expect(listed).toMatchObject({ exitCode: 0, err: '' });
  const numbers = listed.out.match(/description$/gm) ?? [];
  expect(numbers).toHaveLength(count);
});
