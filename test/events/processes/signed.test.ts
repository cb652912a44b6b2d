import { expect, test } from 'bun:test';
import { join } from 'node:path';
import { ownFolder } from '../../support/backup.ts';
import { connect, ownDatabase } from '../../support/database.ts';
import { caller, makeFirm } from '../../support/firm.ts';
import { startInstance } from '../../support/instances.ts';

test('what is sealed for a reader of events is signed too, at the latest when the server stops', async () => {
  const databaseUrl = await ownDatabase();
  const environment = { INSTALLATION_KEY: join(await ownFolder(), 'key') };
  const server = await startInstance(databaseUrl, { environment });
  const firm = await makeFirm({ url: server.url, databaseUrl });
  const ada = caller(server.url, firm.owner.key);
  const { id } = (await ada.post('/v1/contacts', { lastName: 'Quill' })).body.data;
  const told: string[] = [];
  for (let cursor = '0'; !told.includes(id); ) {
    const { body } = await ada.get(`/v1/events?after=${cursor}&wait=5&types=contact.created`);
    for (const { data } of body.data) told.push(data.id);
    cursor = body.cursor;
  }
  expect((await server.stop()).exitCode).toBe(0);
  const sql = connect(databaseUrl);
  const [row] = await sql`
    select (select max(seal_number) from audit_seal where firm_id = ${firm.id}) as sealed,
      (select max(seal_number) from audit_signature where firm_id = ${firm.id}) as signed`;
  await sql.end();
  expect(Number(row?.sealed)).toBeGreaterThan(0);
  expect(row?.signed).toBe(row?.sealed);
});
