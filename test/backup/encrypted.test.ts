/**
 * Encrypted backups: only the holder of the secret key opens them, and Debian's own `age` and ours
 * open each other's (docs/backups.md).
 */
import { expect, test } from 'bun:test';
import { existsSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { $ } from 'bun';
import {
  answersOf,
  complaintsOf,
  expectRefused,
  furnishedFirm,
  ownFolder,
} from '../support/backup.ts';
import { sealAll } from '../support/chain.ts';
import { emptyDatabase, ownDatabase } from '../support/database.ts';
import { caller, startTestServer } from '../support/firm.ts';
import { run, runJson } from '../support/terminal.ts';

const folder = await ownFolder();
const source = await ownDatabase();
const server = await startTestServer({ databaseUrl: source });
const firm = await furnishedFirm(server);
await sealAll(source);
const fileOf = (name: string) => join(folder, name);

type Pair = { recipient: string; identity: string };
type Made = { recipients: string[]; rows: number };

const newPair = () => runJson<Pair>('', ['backup', 'key']);

const keyFile = async (name: string, text: string) => {
  await Bun.write(fileOf(name), text);
  return fileOf(name);
};

const [own, second] = [await newPair(), await newPair()];
const ownKey = await keyFile('own.key', (await run('', ['backup', 'key'])).out);
await Bun.write(ownKey, `# a comment\n${own.identity}\n`);
const secondKey = await keyFile('second.key', second.identity);
const backup = fileOf('for-two.backup');
const made = await runJson<Made>(source, [
  ...['backup', backup, '--recipient', own.recipient, '--recipient', second.recipient],
]);

/** Whether a restored database answers what the firm's did. */
const expectRestored = async (databaseUrl: string) => {
  const restored = await startTestServer({ databaseUrl });
  expect(await answersOf(restored.url, firm)).toEqual(await answersOf(server.url, firm));
  await restored.stop();
};

test('a pair has a key for the server and a secret one, and the words say where each is kept', async () => {
  expect(own.recipient).toMatch(/^age1[0-9a-z]{58}$/);
  expect(own.identity).toMatch(/^AGE-SECRET-KEY-1[0-9A-Z]{58}$/);
  expect(own.identity).not.toBe(second.identity);
  const { out } = await run('', ['backup', 'key']);
  expect(out).toContain('BACKUP_RECIPIENT');
  expect(out).toContain('not on the server');
});

test('what is encrypted for two is opened by either alone, and shows nothing to others', async () => {
  expect(made.recipients).toEqual([own.recipient, second.recipient]);
  expect(statSync(backup).mode & 0o777).toBe(0o600);
  const bytes = Buffer.from(await Bun.file(backup).bytes());
  expect(bytes.toString('latin1')).toStartWith('age-encryption.org/v1\n');
  for (const word of ['manifest', 'matterhorn', firm.id, 'quill.example', '\x28\xb5\x2f\xfd'])
    expect([word, bytes.indexOf(word, 'latin1')]).toEqual([word, -1]);

  for (const key of [ownKey, secondKey]) {
    const target = await emptyDatabase();
    const words = ['restore', backup, '--unsigned', '--identity', key];
    const proof = await runJson<{ rows: number; findings: string[] }>(target, words);
    expect(proof).toMatchObject({ rows: made.rows, findings: [] });
    await expectRestored(target);
  }
});

test('its log is compared with an encrypted backup, too', async () => {
  const words = ['audit', 'verify', '--against', backup];
  const { exitCode, out } = await run(source, [...words, '--identity', ownKey]);
  expect({ exitCode, isHeld: out.includes('continues what') }).toEqual({
    exitCode: 0,
    isHeld: true,
  });
  expectRefused(
    await run(source, words),
    `The backup ${backup} is encrypted. Name the file of its secret key with --identity FILE.`,
  );
});

test('without the key, with another one, cut off or altered it is refused, and nothing is restored', async () => {
  const target = await emptyDatabase();
  const restore = (file: string, ...more: string[]) =>
    run(target, ['restore', file, '--unsigned', ...more]);
  const stranger = await keyFile('stranger.key', (await newPair()).identity);
  expectRefused(
    await restore(backup),
    `The backup ${backup} is encrypted. Name the file of its secret key with --identity FILE.`,
  );
  expectRefused(
    await restore(backup, '--identity', stranger),
    `This key does not open ${backup}: it was encrypted for another one, or it is damaged. Use the secret key that was created with the recipient of the backup.`,
  );
  const none = await keyFile('none.key', `${own.recipient}\n`);
  expectRefused(
    await restore(backup, '--identity', none),
    `There is no secret key in ${none}. It begins with AGE-SECRET-KEY-1; \`matterhorn backup key\` printed it.`,
  );
  const gone = fileOf('gone.key');
  expectRefused(
    await restore(backup, '--identity', gone),
    `The file ${gone} cannot be read. Name the file of the secret key, or - for standard input.`,
  );

  const bytes = await Bun.file(backup).bytes();
  const cut = fileOf('cut.backup');
  await Bun.write(cut, bytes.slice(0, bytes.length - 100));
  const altered = fileOf('altered.backup');
  const at = Math.floor(bytes.length / 2);
  await Bun.write(
    altered,
    bytes.map((byte, index) => (index === at ? byte ^ 1 : byte)),
  );
  for (const file of [cut, altered]) {
    expectRefused(
      await restore(file, '--identity', ownKey),
      `The file ${file} is damaged or cut off. Copy it once more from where it was created, or take another backup.`,
    );
  }
  // Everything is still possible in the same database.
  expect((await restore(backup, '--identity', secondKey)).exitCode).toBe(0);
});

test('what is no recipient is refused before anything is written, in the setting too', async () => {
  const file = fileOf('never.backup');
  const sentence = (from: string) =>
    `${from} must name recipients of age, which begin with age1. \`matterhorn backup key\` creates one.`;
  for (const wrong of ['age1nonsense', own.recipient.slice(0, -1), own.identity]) {
    expectRefused(
      await run(source, ['backup', file, '--recipient', wrong]),
      sentence('--recipient'),
    );
    const ran = await run(source, ['backup', file], '', { BACKUP_RECIPIENT: wrong });
    expectRefused(ran, sentence('BACKUP_RECIPIENT'));
  }
  expect(existsSync(file)).toBe(false);
});

test('the setting encrypts each backup; `doctor` says where it is missing', async () => {
  const file = fileOf('by-setting.backup');
  const both = `${own.recipient}, ${second.recipient}`;
  const ran = await run(source, ['backup', file, '--json'], '', { BACKUP_RECIPIENT: both });
  expect(JSON.parse(ran.out).recipients).toEqual([own.recipient, second.recipient]);
  const doctor = async (environment: Record<string, string>) =>
    (await run(source, ['doctor'], '', { BACKUP_DIR: folder, ...environment })).out;
  const finding = `The backups in ${folder} are not encrypted.`;
  expect(await doctor({})).toContain(finding);
  expect(await doctor({ BACKUP_RECIPIENT: both })).not.toContain(finding);
});

// Where Debian's program is not installed, .ci/run installs it.
test.if(Bun.which('age') !== null)('Debian’s `age` opens ours, and ours opens its', async () => {
  const plain = fileOf('plain.zst');
  await $`age --decrypt --identity ${ownKey} --output ${plain} ${backup}`.quiet();
  const target = await emptyDatabase();
  expect((await run(target, ['restore', plain, '--unsigned'])).exitCode).toBe(0);

  const theirKey = fileOf('their.key');
  await $`age-keygen --output ${theirKey}`.quiet();
  const recipient = (await $`age-keygen -y ${theirKey}`.text()).trim();
  const theirs = fileOf('theirs.backup');
  await $`age --encrypt --recipient ${recipient} --output ${theirs} ${plain}`.quiet();
  const other = await emptyDatabase();
  const restored = await run(other, ['restore', theirs, '--unsigned', '--identity', theirKey]);
  const complaints = complaintsOf(restored);
  expect({ exitCode: restored.exitCode, complaints }).toEqual({ exitCode: 0, complaints: '' });
  const { body } = await caller(
    (await startTestServer({ databaseUrl: other })).url,
    firm.owner.key,
  ).get(`/v1/leads/${firm.ids.lead}`);
  expect(body.data.contact.name).toContain('Quill');
});
