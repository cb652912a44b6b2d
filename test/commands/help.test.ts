import { afterAll, describe, expect, test } from 'bun:test';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ownDatabase, sharedDatabase } from '../support/database.ts';
import { caller, owner, type Standing, startTestServer } from '../support/firm.ts';
import { run, runJson } from '../support/terminal.ts';

const databaseUrl = await sharedDatabase();
const folder = mkdtempSync(join(tmpdir(), 'matterhorn-help-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

describe('Help', () => {
  /** Every command and group of commands, by its words, as the help lists them. */
  const commandsBelow = async (words: string[]): Promise<string[][]> => {
    const { out } = await run(databaseUrl, [...words, '--help']);
    const listed = /\nCommands:\n([\s\S]*?)(\n\n|$)/.exec(out)?.[1] ?? '';
    const names = [...listed.matchAll(/^ {2}([a-z]+)/gm)].map(([, name = '']) => name);
    const below = names.filter((name) => name !== 'help').map((name) => [...words, name]);
    return [words, ...(await Promise.all(below.map(commandsBelow))).flat()];
  };

  const examplesIn = (help: string) =>
    (/\nExample:\n([\s\S]*)$/.exec(help)?.[1] ?? '')
      .trimEnd()
      .split('\n')
      .map((line) => line.trim());

  test('every command and group has an example of itself, and `help` shows the same as --help', async () => {
    const all = await commandsBelow([]);
    expect(all.length).toBeGreaterThan(30);
    for (const words of all) {
      const { out, err, exitCode } = await run(databaseUrl, [...words, '--help']);
      expect({ words, err, exitCode }).toEqual({ words, err: '', exitCode: 0 });
      const examples = examplesIn(out);
      expect(examples.length).toBeGreaterThan(0);
      for (const example of examples) expect(example).toStartWith('matterhorn ');
      const isGroup = out.includes('\nCommands:\n') && !out.includes('\nArguments:\n');
      if (!isGroup) expect(examples[0]).toStartWith(`matterhorn ${words.join(' ')}`);
      expect(await run(databaseUrl, ['help', ...words])).toEqual({ out, err, exitCode });
    }
  });

  test('of backups and their keys says create, as the application does', async () => {
    for (const words of [['backup'], ['backup', 'key'], ['restore']]) {
      const { out } = await run(databaseUrl, [...words, '--help']);
      expect(out).not.toMatch(/\b(make|made|makes)\b/);
    }
  });

  test('what is no command is not passed over by help', async () => {
    for (const words of [
      ['help', 'nonsense'],
      ['help', 'key', 'nonsense'],
      ['key', 'nonsense', '--help'],
    ]) {
      const { out, err, exitCode } = await run(databaseUrl, words);
      expect({ out, exitCode }).toEqual({ out: '', exitCode: 2 });
      expect(err).toMatch(
        /^error: unknown command 'nonsense'\. `matterhorn help( key)?` lists the commands\.\n$/,
      );
    }
  });

  // They serve until they are stopped, or are tried where their files are.
  const triedElsewhere = ['serve', 'demo', 'ready', 'backup', 'restore', 'distribute', 'upgrade'];

  test('the examples do what they say, pasted as they are on the example firm', async () => {
    const own = await ownDatabase();
    const server = await startTestServer({ databaseUrl: own });
    const example = (await run(own, ['firm', 'example'])).out;
    writeFileSync(join(folder, 'firm.yaml'), example);
    const standing = await runJson<Standing>(own, ['firm', 'apply', '-'], example);
    const made = await runJson<{ id: string; key: string }>(own, [
      ...['key', 'create', '--member', owner, '--scope', 'matters:write', 'leads:write'],
    ]);
    const by = caller(server.url, made.key);
    const lead = await by.post('/v1/leads', { lastName: 'Quill' });
    const matter = await by.post('/v1/matters', {
      practiceAreaId: standing.practiceAreas.Family?.id,
      openDate: '2027-02-03',
    });
    // A backup holds the head of a log that is sealed, which takes seconds.
    const isSealed = async () => /[0-9a-f]{64}/.test((await run(own, ['audit', 'head'])).out);
    while (!(await isSealed())) await Bun.sleep(500);
    await runJson(own, ['backup', join(folder, 'harrow-2026-11-21.backup')]);
    const tried: string[] = [];
    for (const words of await commandsBelow([])) {
      if (words.length === 0 || triedElsewhere.includes(words[0] ?? '')) continue;
      const { out: help } = await run(own, [...words, '--help']);
      for (const example of examplesIn(help)) {
        const [line = ''] = example.split(' > ');
        // Names of files lead into the test's folder; KEYID, ID and a job's number are made real.
        const given = [...line.matchAll(/"([^"]*)"|(\S+)/g)]
          .slice(1)
          .map(([, quoted, plain]) => quoted ?? plain ?? '')
          .map((word) => (/\.(yaml|ndjson|backup)$/.test(word) ? join(folder, word) : word))
          .map((word, at, all) => {
            if (word === 'KEYID') return made.id;
            return word === 'ID' ? (all[at - 1] === '--lead' ? lead : matter).body.data.id : word;
          });
        const ran = await run(own, given);
        const isDeadJob = given[1] === 'retry' && given[2] !== '--all';
        expect({ example, exitCode: ran.exitCode, err: ran.err }).toEqual({
          example,
          exitCode: isDeadJob ? 1 : 0,
          err: isDeadJob ? ran.err : '',
        });
        tried.push(example);
      }
    }
    expect(tried.length).toBeGreaterThan(25);
  });

  test('the guide for administrators names no command and no option that is not there', async () => {
    const guide = await Bun.file(join(import.meta.dir, '../../docs/administrators.md')).text();
    const lines = [...guide.matchAll(/(?:^|`)mh ([a-z][^`\n]*)/gm)].map(([, line = '']) => line);
    expect(lines.length).toBeGreaterThan(20);
    const all = (await commandsBelow([])).map((words) => words.join(' '));
    for (const line of lines) {
      const asked = line.replace(/^help( |$)/, '');
      const command = all.findLast((words) => `${asked} `.startsWith(words && `${words} `)) ?? '';
      expect({ line, isKnown: asked === '' || command !== '' }).toEqual({ line, isKnown: true });
      const { out } = await run(databaseUrl, [...command.split(' ').filter(Boolean), '--help']);
      const isGroup = out.includes('\nCommands:\n') && !out.includes('\nArguments:\n');
      expect({ line, isGroup }).toEqual({
        line,
        isGroup: asked === '',
      });
      for (const [option] of line.matchAll(/--[a-z-]+/g)) expect(out).toContain(`${option} `);
    }
  });
});
