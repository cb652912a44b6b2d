/** A file that is written to keep the server busy: it is cut in small steps, and refused at its first row that is too large. */
import { expect, test } from 'bun:test';
import { makeFirm, owner, startTestServer } from '../../support/firm.ts';
import { visitorOf } from '../../support/visitor.ts';

const server = await startTestServer();
const firm = await makeFirm(server);
const ada = await visitorOf(server, firm, owner);
const mebibyte = 1024 * 1024;

const upload = (content: string, kind = 'contact') =>
  ada.upload('/settings/imports', { kind, do: 'bring' }, new File([content], 'people.csv'));

/** How long this process worked, in milliseconds, and how often others got their turn meanwhile. */
const turnsDuring = async (work: () => Promise<unknown>) => {
  let turns = 0;
  let isOver = false;
  const count = () => {
    turns += 1;
    if (!isOver) setImmediate(count);
  };
  count();
  const before = process.cpuUsage();
  await work();
  const { user, system } = process.cpuUsage(before);
  isOver = true;
  return { turns, worked: (user + system) / 1_000 };
};

const head = 'Last name,Email\n';
const quoted = '""\n'.repeat((4 * mebibyte) / 3);
const evil: [what: string, content: string, refusal: string | undefined][] = [
  ['pairs of quotes in each row', `${head}Quill,\n${quoted}`, 'more than 20,000 rows'],
  ['20,000 empty rows', `${head}Quill,\n${'""\n'.repeat(20_000)}`, undefined],
  ['a million columns', `${'a,'.repeat(mebibyte)}\n1,2\n`, 'of more than 1 MiB'],
  ['a million empty cells', `${head}${','.repeat(2 * mebibyte)}\nQuill,\n`, 'of more than 1 MiB'],
  ['a row of 201 cells', `${head}${'a,'.repeat(200)}a\n`, 'more than 200 columns'],
  ['a cell of more than 1 MiB', `${head}"${'a'.repeat(mebibyte + 9)}",\n`, 'of more than 1 MiB'],
  ['a quotation mark that is not closed', `${head}"Quill,\n`, 'never closed'],
  ['20,001 rows', `${head}${'Quill,\n'.repeat(20_001)}`, 'more than 20,000 rows'],
];

for (const [what, content, refusal] of evil) {
  test(`${what}: ${refusal ?? 'it is read'}, and others get their turns`, async () => {
    const answer = await turnsDuring(async () => {
      const { status, text } = await upload(content);
      expect(status).toBe(refusal ? 422 : 303);
      if (refusal) expect(text.includes(refusal)).toBe(true);
    });
    // However much work it is, no step of it is a long one.
    expect(answer.turns).toBeGreaterThan(answer.worked / 50);
  });
}

test('200 cells in a row and a cell of nearly 1 MiB are taken', async () => {
  const wide = Array.from({ length: 200 }, (_, at) => `Column ${at}`).join(',');
  expect((await upload(`${wide}\n${'a,'.repeat(199)}a\n`)).status).toBe(303);
  expect((await upload(`${head}${'a'.repeat(mebibyte - 10_000)},\n`)).status).toBe(303);
});

test('rows with one name and many addresses are compared one by one, not each with all', async () => {
  const rows = Array.from({ length: 20_000 }, (_, at) => `Quill,q${at}@quill.example\n`);
  const { location } = await upload(head + rows.join(''));
  const fields = { 'column.0': 'lastName', 'column.1': 'emails', separator: ',', dayOrder: 'DMY' };
  const { turns, worked } = await turnsDuring(async () => {
    expect((await ada.post(`${location}/columns`, fields)).status).toBe(303);
  });
  expect(turns).toBeGreaterThan(worked / 50);
  expect((await ada.get(location ?? '')).text.includes('20,000')).toBe(true);
});

test('a row with 300,000 clients or choices is refused as one with too many', async () => {
  const many = await upload(`Title,Client\nQuill,${'x;'.repeat(300_000)}\n`, 'matter');
  const fields = { 'column.0': 'title', 'column.1': 'client', separator: ',', dayOrder: 'DMY' };
  const area = firm.practiceAreas.Family?.id ?? '';
  const checked = { ...fields, practiceAreaId: area };
  const { turns, worked } = await turnsDuring(async () => {
    expect((await ada.post(`${many.location}/columns`, checked)).status).toBe(303);
  });
  expect(turns).toBeGreaterThan(worked / 50);
});
