/** The server is killed while it brings a file in, and again while it undoes that. */
import { expect, test } from 'bun:test';
import { ownDatabase } from '../../support/database.ts';
import { caller, makeFirm, owner } from '../../support/firm.ts';
import { checkRows, saidBy, untilSaid, uploadCsv } from '../../support/imports.ts';
import { freePort, startInstance } from '../../support/instances.ts';
import { type Visitor, visitorOf } from '../../support/visitor.ts';

const rows = 1_500;
const csv = `Name,Email\n${Array.from({ length: rows }, (_, at) => `Person ${at},p${at}@mail.example`).join('\n')}`;

/** How many rows a page says are behind it, while there are more to come. */
const underWay = async (visitor: Visitor, path: string, words: string) => {
  for (;;) {
    const { text } = await visitor.get(path);
    const done = new RegExp(`([\\d,]+) of [\\d,]+ rows ${words}`).exec(text)?.[1];
    if (done === undefined) throw new Error(`It ended before it was ${words} in part.`);
    if (done !== '0') return Number(done.replaceAll(',', ''));
  }
};

test('An import goes on after a kill: every row once, none lost; so does its undo', async () => {
  const databaseUrl = await ownDatabase();
  const port = await freePort();
  let instance = await startInstance(databaseUrl, { port });
  const server = { url: instance.url, databaseUrl };
  const firm = await makeFirm(server);
  const ada = await visitorOf(server, firm, owner);
  const restart = async () => {
    await instance.kill();
    instance = await startInstance(databaseUrl, { port });
  };
  const names = async () => {
    const { key } = firm.owner;
    const pages = await Promise.all(
      Array.from({ length: rows / 100 + 1 }, (_, at) =>
        caller(instance.url, key).get(`/v1/contacts?limit=100&offset=${at * 100}`),
      ),
    );
    return pages.flatMap(({ body }) => body.data.map(({ name }: { name: string }) => name));
  };
  const path = await uploadCsv(ada, 'contact', csv);
  await checkRows(ada, path);
  expect((await ada.post(`${path}/begin`)).status).toBe(303);
  expect(await underWay(ada, path, 'imported')).toBeLessThan(rows);
  await restart();
  const result = await untilSaid(ada, path, 'Imported.');
  expect(saidBy(result)).toEqual({ made: rows, known: 0, refused: 0 });
  const made = await names();
  expect(made).toHaveLength(rows);
  expect(new Set(made).size).toBe(rows);

  expect((await ada.post(`${path}/undo`)).status).toBe(303);
  await underWay(ada, path, 'deleted');
  await restart();
  expect(await untilSaid(ada, path, 'Undone.')).toContain(
    `<dt>Deleted by the undo</dt><dd>1,500</dd>`,
  );
  expect(await names()).toEqual([]);
});
