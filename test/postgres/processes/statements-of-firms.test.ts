/**
 * All statements that the program declares, read by Postgres's own parser. Each part of a statement
 * names its firm, so that none reads another firm's rows, and a distributed Postgres finds the one
 * node that has them (docs/scaling.md).
 */
import { expect, test } from 'bun:test';
import { loadModule } from 'libpg-query';
import { connect, sharedDatabase } from '../../support/database.ts';
import { everyStatement } from '../declared.ts';
import { levelsOf } from '../levels.ts';

/** Statements that look through all firms, by what they are for. They only read. */
const acrossFirms: Record<string, string[]> = {
  'a secret leads to its firm': [
    'api-keys/api-key.ts',
    'sign-in/session.ts',
    'sign-in/known-browser.ts',
    'sign-in/passkey.ts',
    'sign-in/password.ts',
    'sign-in/link.ts',
    'calendar/feed.ts',
  ],
  'the server looks for work': [
    'jobs/queue.ts',
    'jobs/dead-letters.ts',
    'mail/guard.ts',
    'mail/queue.ts',
    'webhooks/outgoing.ts',
  ],
  'the firms that have something out of date': ['record/pruning.ts', 'imports/jobs.ts'],
  'the audit log of all firms': ['audit/head.ts', 'audit/seal.ts', 'audit/verify.ts'],
  'secrets are sealed after a start': ['sign-in/sealed.ts', 'mail/sealed.ts', 'webhooks/sealed.ts'],
  'a restored database is proved': ['backup/proof.ts'],
  'the doctor examines the installation': [
    'doctor/signing.ts',
    'doctor/key.ts',
    'doctor/mail.ts',
    'doctor/questions.ts',
  ],
};

/** Those of them that say nothing of nodes: what they answer needs all of them. */
const needAllNodes = [
  'audit/verify.ts',
  'backup/proof.ts',
  'doctor/key.ts',
  'doctor/questions.ts',
  'doctor/signing.ts',
];

/** What was changed for waiting browsers, per firm: the firm is that of each entry. */
const ofEntries = ['visibility/entries.ts'];

/** Their index is of keys that contain the firm; `is not distinct from` keeps it in use. */
const byKeysWithFirm = [
  'search-text/known-words.ts',
  'search/few-texts.ts',
  'search/newest-texts.ts',
  'search/spelling.ts',
];

/** A sequence of steps, each of the firm that it names. */
const recursiveInFirm = ['merging/stored.ts'];

const sql = connect(await sharedDatabase());
const owned = new Set(
  (
    await sql<{ name: string }[]>`
      select relname as name from pg_class join pg_attribute on attrelid = pg_class.oid
      where relkind in ('r', 'p') and relnamespace = 'public'::regnamespace and attname = 'firm_id'`
  ).map(({ name }) => name),
);
await sql.end();
await loadModule();

const declared = await everyStatement();
const isFirms = (table: string) => owned.has(table);
const read = declared
  .map(({ file, text, spread, node }) => ({
    file: file.replace(/:\d+$/, ''),
    text,
    spread,
    node,
    levels: levelsOf(text, isFirms),
  }))
  .filter(({ levels }) => levels.some(({ tables }) => tables.size > 0));

const unnamedIn = (levels: (typeof read)[number]['levels']) =>
  levels.filter(({ tables, named }) => [...tables.keys()].some((alias) => !named.has(alias)));

const told = ({ file, text }: { file: string; text: string }) =>
  `${file}: ${text.replace(/\s+/g, ' ').trim().slice(0, 200)}`;

test('the program declares its statements where they are found', () => {
  expect(owned.size).toBeGreaterThan(35);
  expect(read.length).toBeGreaterThan(350);
});

test('every statement names its firm in all of its parts, or is known to look through all firms', () => {
  const known = [...Object.values(acrossFirms).flat(), ...byKeysWithFirm, ...ofEntries];
  const astray = read.filter(
    ({ file, levels }) => unnamedIn(levels).length > 0 && !known.includes(file),
  );
  expect(astray.map(told)).toEqual([]);
  const needless = known.filter(
    (file) => !read.some((one) => one.file === file && unnamedIn(one.levels).length > 0),
  );
  expect(needless).toEqual([]);
});

test('what looks through all firms changes nothing and locks nothing', () => {
  const astray = read.filter(({ levels }) =>
    unnamedIn(levels).some(({ kind, locks }) => kind !== 'SelectStmt' || locks),
  );
  expect(astray.map(told)).toEqual([]);
});

test('a statement that looks through all firms says so, or needs all nodes', () => {
  const silent = read
    .filter(({ levels, node }) => unnamedIn(levels).length > 0 && node === null)
    .map(({ file }) => file);
  expect([...new Set(silent)].sort()).toEqual(
    [...needAllNodes, ...byKeysWithFirm, ...ofEntries].sort(),
  );
});

test('what a server asks of one node looks at the firms of that node alone', () => {
  const asked = read.filter(({ node }) => node !== null);
  expect(asked.length).toBeGreaterThan(15);
  const astray = asked.filter(
    ({ node }) => unnamedIn(levelsOf(node ?? '', isFirms, { asOneOfSeveral: true })).length > 0,
  );
  expect(astray.map(told)).toEqual([]);
});

test('in a spread database a table beside rows that were cut names its firm by a value', () => {
  const inOneFirm = read.filter(({ levels }) => unnamedIn(levels).length === 0);
  const unnamed = (text: string) =>
    unnamedIn(levelsOf(text, isFirms, { onlyByValue: true })).length > 0;
  expect(inOneFirm.filter(({ spread }) => unnamed(spread)).map(told)).toEqual([]);
  // One Postgres must not: it would read all of the firm's rows.
  expect(inOneFirm.filter(({ text }) => unnamed(text)).length).toBeGreaterThan(10);
});

test('no statement is recursive, but for the walk along merges of one firm and the audit log of all', () => {
  const known = [...recursiveInFirm, ...(acrossFirms['the audit log of all firms'] ?? [])];
  const astray = read.filter(
    ({ file, levels }) => levels.some(({ recursive }) => recursive) && !known.includes(file),
  );
  expect(astray.map(told)).toEqual([]);
});

test('the parser tells a statement that forgets its firm from one that names it', () => {
  const forgets = (text: string) => unnamedIn(levelsOf(text, isFirms)).length > 0;
  const named = `select 1 from lead join contact on contact.firm_id = lead.firm_id
    where lead.firm_id = $1::uuid`;
  expect(forgets(named)).toBe(false);
  expect(
    forgets(named.replace('contact.firm_id = lead.firm_id', 'contact.id = lead.contact_id')),
  ).toBe(true);
  expect(
    forgets(`${named} and exists (select 1 from note where note.firm_id = lead.firm_id)`),
  ).toBe(true);
  expect(forgets(`${named} and exists (select 1 from note where note.firm_id = $2)`)).toBe(false);
  expect(forgets('delete from lead where id = $1')).toBe(true);
  expect(forgets('select 1 from lead where firm_id = $1 or id = $2')).toBe(true);
});
