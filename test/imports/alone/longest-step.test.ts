/**
 * The largest file of each evil kind: no step of reading or judging it holds the server for 50 ms, beside
 * the time that the machine takes to give it memory.
 */
import { expect, test } from 'bun:test';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { atEnd } from '../../support/at-end.ts';
import { sharedDatabase } from '../../support/database.ts';
import { makeFirm, owner } from '../../support/firm.ts';
import { startInstance } from '../../support/instances.ts';
import { millisecondsForMemory, openTurns } from '../../support/turns.ts';
import { visitorOf } from '../../support/visitor.ts';

const file = join(tmpdir(), 'turns');
const turns = openTurns(file);
atEnd(() => Bun.file(file).delete());
const databaseUrl = await sharedDatabase();
const { preload, environment } = turns;
const { url } = await startInstance(databaseUrl, { preload, environment });
const server = { url, databaseUrl };
const firm = await makeFirm(server);
const ada = await visitorOf(server, firm, owner);

const mebibyte = 1024 * 1024;
const maxMilliseconds = 50;
/** A step that is a long one is a long one each time; what else the machine does, is not. */
const times = 4;

/** As much memory as a file takes as a request's body, as its part, as bytes and as text. */
const heldBytes = 4 * 10 * mebibyte;

/**
 * The longest step of doing this, as the processor time of the server's main thread, without what
 * memory for a file takes.
 */
const longestStepOf = async (work: () => Promise<unknown>) => {
  let least = Number.POSITIVE_INFINITY;
  for (let time = 0; time < times && least >= maxMilliseconds; time += 1) {
    const forMemory = millisecondsForMemory(heldBytes);
    turns.take();
    await work();
    least = Math.min(least, turns.take() - forMemory);
  }
  return least;
};

const upload = (content: string, kind = 'contact') =>
  ada.upload('/settings/imports', { kind }, new File([content], 'people.csv'));
const full = (piece: string) =>
  `Last name,Email\n${piece.repeat(Math.floor((10 * mebibyte - 1_000) / piece.length))}`;

test.each([
  ['pairs of quotes', full('""\n')],
  ['rows', full('a,b\n')],
  ['rows with a space', full(' \n')],
  ['quoted cells', full('"a",')],
  ['empty cells', full(',')],
  ['quotation marks', full('"')],
  ['one cell', full('a')],
  ['empty lines', full('\n')],
])('10 MiB of %s are taken in and refused', async (_, content) => {
  const step = await longestStepOf(async () => expect((await upload(content)).status).toBe(422));
  expect(step).toBeLessThan(maxMilliseconds);
});

test('20,000 rows are read and judged', async () => {
  const rows = Array.from({ length: 20_000 }, (_, at) => `Quill,q${at}@quill.example\n`);
  const content = `Last name,Email\n${rows.join('')}`;
  let location = '';
  const taken = await longestStepOf(async () => {
    location = (await upload(content)).location ?? '';
    expect(location).not.toBe('');
  });
  const fields = { 'column.0': 'lastName', 'column.1': 'emails', separator: ',', dayOrder: 'DMY' };
  const judged = await longestStepOf(async () => {
    expect((await ada.post(`${location}/columns`, fields)).status).toBe(303);
  });
  expect(Math.max(taken, judged)).toBeLessThan(maxMilliseconds);
});
