/**
 * The largest file of each evil kind: no step of reading or judging it holds the server for 50 ms, beside
 * the time that receiving its bytes takes.
 */
import { expect, test } from 'bun:test';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { atEnd } from '../../support/at-end.ts';
import { sharedDatabase } from '../../support/database.ts';
import { makeFirm, owner } from '../../support/firm.ts';
import { startInstance } from '../../support/instances.ts';
import { openTurns } from '../../support/turns.ts';
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

/** The longest step of doing this, as the processor time of the server's main thread. */
const stepOf = async (work: () => Promise<unknown>) => {
  turns.take();
  await work();
  return turns.take();
};

/** By how much the longest step of doing this is longer than that of `less`, which is a part of it. */
const longestStepOf = async (
  work: () => Promise<unknown>,
  less: () => Promise<unknown> = async () => {},
) => {
  let [least, leastOfLess] = [Number.POSITIVE_INFINITY, Number.POSITIVE_INFINITY];
  for (let time = 0; time < times && !(least - leastOfLess < maxMilliseconds); time += 1) {
    leastOfLess = Math.min(leastOfLess, await stepOf(less));
    least = Math.min(least, await stepOf(work));
  }
  return least - leastOfLess;
};

const upload = (content: string, kind = 'contact') =>
  ada.upload('/settings/imports', { kind }, new File([content], 'people.csv'));
/** Receives as much, and reads none of it. A machine may take thirty times as long as another to give memory for it. */
const receive = async (content: string) =>
  expect((await upload(content, 'nothing')).status).toBe(422);
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
  const step = await longestStepOf(
    async () => expect((await upload(content)).status).toBe(422),
    () => receive(content),
  );
  expect(step).toBeLessThan(maxMilliseconds);
});

test('20,000 rows are read and judged', async () => {
  const rows = Array.from({ length: 20_000 }, (_, at) => `Quill,q${at}@quill.example\n`);
  const content = `Last name,Email\n${rows.join('')}`;
  let location = '';
  const taken = await longestStepOf(
    async () => {
      location = (await upload(content)).location ?? '';
      expect(location).not.toBe('');
    },
    () => receive(content),
  );
  const fields = { 'column.0': 'lastName', 'column.1': 'emails', separator: ',', dayOrder: 'DMY' };
  const judged = await longestStepOf(async () => {
    expect((await ada.post(`${location}/columns`, fields)).status).toBe(303);
  });
  expect(Math.max(taken, judged)).toBeLessThan(maxMilliseconds);
});
