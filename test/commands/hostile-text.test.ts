/**
 * Text that anybody can send must not control the administrator's terminal or forge a line there.
 */
import { expect, test } from 'bun:test';
import { join } from 'node:path';
import { connect, moveClock, ownDatabase } from '../support/database.ts';
import { makeFirm, owner, startTestServer } from '../support/firm.ts';
import { run } from '../support/terminal.ts';

const hostile = [
  '\x1b]0;owned\x07',
  '\x1b[2J\x9b31m',
  'Quill\r\nAll is well.\x85\u2028\u2029',
  '\u202eevil\u2066\u061c\u200f\x7f\v\f\b',
].join('');

// Everything that a terminal acts on, but the ends of the lines themselves.
const acting = /(?!\n)[\p{Cc}\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]/u;

/** A firm that a stranger's lead has reached, and names with the same in them. */
const reachedFirm = async () => {
  const databaseUrl = await ownDatabase();
  const server = await startTestServer({ databaseUrl });
  const firm = await makeFirm(server);
  const { status } = await firm.owner.post('/v1/leads', { lastName: hostile });
  expect(status).toBe(201);
  await moveClock(databaseUrl, 120);
  const sql = connect(databaseUrl);
  while ((await sql`select from notification`).length === 0) await Bun.sleep(50);
  await sql`update firm set name = ${hostile}`;
  await sql`update member set name = ${hostile}`;
  await sql`update api_key set name = ${hostile}`;
  await sql`update role set name = name || ${hostile} where not holds_all`;
  await sql`insert into job (kind, dedupe_key, firm_id, payload, run_at, dead_at, last_error)
    values ('lead_announce', 'hostile', ${firm.id}, '{}', moment(), moment(), ${hostile})`;
  await sql.end();
  await server.stop();
  return { databaseUrl, firm };
};

test('escape sequences, line ends and turned text are written out in every command', async () => {
  const { databaseUrl } = await reachedFirm();
  const commands = [
    ['inbox', '--member', owner],
    ['firm', 'list'],
    ['firm', 'show'],
    ['key', 'list'],
    ['member', 'list'],
    ['audit', 'list'],
    ['job', 'list', '--dead'],
    ['doctor'],
  ];
  for (const words of commands) {
    const { out, err } = await run(databaseUrl, words);
    expect([words, acting.exec(out + err)]).toEqual([words, null]);
    expect([words, /^All is well/m.test(out + err)]).toEqual([words, false]);
    const json = await run(databaseUrl, [...words, '--json']);
    expect([words, acting.exec(json.out)]).toEqual([words, null]);
    expect(() => JSON.parse(json.out)).not.toThrow();
  }
  const { out } = await run(databaseUrl, ['inbox', '--member', owner]);
  expect(out).toContain('\\x1b]0;owned\\x07');
  expect(out).toContain('\\u202eevil');
  const [notice] = JSON.parse((await run(databaseUrl, ['inbox', '--member', owner, '--json'])).out);
  expect(`${notice.title} ${notice.text}`).toContain('\x1b]0;owned\x07');
  expect((await run(databaseUrl, ['firm', 'show', '--firm', hostile])).err).not.toMatch(acting);
});

test('a line of the log stays one line of JSON that acts on nothing', async () => {
  const program = `import { log } from ${JSON.stringify(join(import.meta.dir, '../../src/base/log.ts'))};
    log('error', 'lead', { name: ${JSON.stringify(hostile)} });`;
  const child = Bun.spawn([process.execPath, '-e', program], { stdio: ['ignore', 'pipe', 'pipe'] });
  const text = await child.stderr.text();
  expect(text).not.toMatch(acting);
  expect(JSON.parse(text)).toMatchObject({ event: 'lead', name: hostile });
});
