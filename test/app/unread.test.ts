import { expect, test } from 'bun:test';
import { connect } from '../support/database.ts';
import { makeFirm, owner, startTestServer } from '../support/firm.ts';
import { visitorOf } from '../support/visitor.ts';

const server = await startTestServer();

test('the mark beside the inbox counts what is unread, and says 99+ for more', async () => {
  const firm = await makeFirm(server);
  const ada = await visitorOf(server, firm, owner);
  const sql = connect(server.databaseUrl);
  // Nothing that a member does makes a hundred notices at once. An import of matters does.
  const notify = (from: number, to: number) => sql`
    insert into notification (firm_id, member_id, kind, cause, title, text, created_at, raised_at)
    select ${firm.id}, ${firm.members[owner] ?? ''}, 'matter.added', 'matter ' || n, 'Added', 'Roe',
      moment(), moment()
    from generate_series(${from}::int, ${to}::int) n`;
  const mark = async () => /data-unread[^>]*><span>([^<]+)</.exec((await ada.get('/')).text)?.[1];
  expect(await mark()).toBe('0');
  await notify(1, 99);
  expect(await mark()).toBe('99');
  await notify(100, 102);
  await sql.end();
  expect(await mark()).toBe('99+');
  const inbox = (await ada.get('/inbox')).text;
  expect(inbox).toContain('of 102');
  const [, upTo = ''] = /name="upTo" value="([^"]+)"/.exec(inbox) ?? [];
  expect((await ada.post('/inbox/read', { upTo })).status).toBe(303);
  expect(await mark()).toBe('0');
});
