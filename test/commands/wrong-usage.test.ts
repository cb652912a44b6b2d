import { afterAll, describe, expect, test } from 'bun:test';
import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ownDatabase, sharedDatabase } from '../support/database.ts';
import { makeFirm, owner } from '../support/firm.ts';
import { expectSentence, run } from '../support/terminal.ts';

const databaseUrl = await sharedDatabase();
const folder = mkdtempSync(join(tmpdir(), 'matterhorn-usage-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const newKey = ['key', 'create', '--member', owner, '--scope', 'leads:read'];
const newEvent = ['event', 'add', '--title', 'Hearing', '--starts', '2027-03-14T09:30:00Z'];
const id = '019f0000-0000-7000-8000-000000000000';

describe('What is wrong with the command line alone ends with 2, whatever the database says', () => {
  test.each([
    ['--expires must be a day', [...newKey, '--expires', 'tomorrow']],
    ['--scope takes one or more of contacts:read', [...newKey.slice(0, -1), 'leads:reed']],
    ['--grace must be 0 or a time', ['key', 'rotate', id, '--grace', '5']],
    ['--email must be', ['member', 'add', '--email', 'bad', '--name', 'X']],
    ['--name must be 1 to 255', ['member', 'add', '--email', owner, '--name', ' ']],
    ['--record takes the id of a record', ['audit', 'list', '--record', 'x']],
    ['--matter takes the id of a matter', [...newEvent, '--matter', 'x']],
    ['--matter takes the id of a matter', ['task', 'list', '--matter', 'x']],
    ['--lead takes the id of a lead', ['task', 'add', '--title', 'X', '--lead', 'x']],
    ['either --matter or --lead is needed', ['task', 'add', '--title', 'X']],
    ['either --matter or --lead is needed', [...newEvent, '--lead', id, '--matter', id]],
    ['--title must be 1 to 255', ['task', 'add', '--matter', id, '--title', '']],
    ['--starts must be a moment', [...newEvent.slice(0, -1), 'soon', '--matter', id]],
    ['--port must be a whole number from 0 to 65535', ['serve', '--port', 'abc']],
    ['--data must name a directory', ['firm', 'list', '--data', ' ']],
    ['either the id of a dead job is needed, or --all', ['job', 'retry']],
    ['either the id of a dead job is needed, or --all', ['job', 'retry', '1', '--all']],
    ['not to standard output', ['backup', '-']],
  ])('%s: %p', async (sentence, words) => {
    for (const url of [databaseUrl, 'postgres://nobody@127.0.0.1:1/none', 'nonsense']) {
      expectSentence(await run(url, words), sentence, 2);
    }
  });

  test('what only the database knows ends with 1, and says where to look', async () => {
    const firm = await makeFirm({ url: '', databaseUrl });
    for (const [sentence, words] of [
      ['`matterhorn key list`', ['key', 'revoke', id]],
      ['`matterhorn member list`', ['inbox', '--member', 'no@harrow.example']],
      ['GET /v1/matters', ['task', 'add', '--title', 'X', '--matter', id]],
      ['GET /v1/matters', [...newEvent, '--matter', id]],
    ] as const) {
      expectSentence(await run(databaseUrl, [...words, '--firm', firm.id]), sentence);
    }
  });
});

describe('What Commander finds wrong', () => {
  test.each([
    [
      "required option '--member <email>' not specified. `matterhorn help key create` shows",
      newKey.slice(0, 2),
    ],
    [
      "unknown option '--bogus'. `matterhorn help firm list` shows how.",
      ['firm', 'list', '--bogus'],
    ],
    [
      "unknown option '--jsn'. Did you mean --json? `matterhorn help firm list` shows",
      ['firm', 'list', '--jsn'],
    ],
    ["missing required argument 'key'. `matterhorn help key revoke` shows how.", ['key', 'revoke']],
    [
      'Allowed choices are on, off, inbox, digest, mail. `matterhorn help notify set` shows how.',
      ['notify', 'set', 'lead.new', 'maybe', '--member', owner],
    ],
    ["unknown command 'serv'. Did you mean serve? `matterhorn help` lists", ['serv']],
    ["unknown command 'creat'. Did you mean create? `matterhorn help key` lists", ['key', 'creat']],
    ["unknown command 'nonsense'. `matterhorn help key` lists the commands.", ['key', 'nonsense']],
    ["unknown command 'nonsense'. `matterhorn help` lists the commands.", ['nonsense']],
    ["unknown command 'non\\x0asense\\x1b'. `matterhorn help` lists", ['non\nsense\x1b']],
  ])('is said in one line with the way out: %s', async (sentence, words) => {
    expectSentence(await run(databaseUrl, words), sentence, 2);
  });
});

describe('--data and DATABASE_URL', () => {
  test('are not taken both, and which one is used is said', async () => {
    const data = join(folder, 'trial');
    // Other tests make firms in the shared database at the same time.
    const databaseUrl = await ownDatabase();
    const firm = await makeFirm({ url: '', databaseUrl });
    const { out, err, exitCode } = await run(databaseUrl, [
      'firm',
      'list',
      '--json',
      '--data',
      data,
    ]);
    expect({ err, exitCode }).toEqual({
      err: 'DATABASE_URL is set: its database is used, and --data is not.\n',
      exitCode: 0,
    });
    expect(JSON.parse(out)).toEqual([expect.objectContaining({ id: firm.id })]);
    expect(readdirSync(folder)).toEqual([]);
  });
});
