/** No cell of an export is a formula, whatever separator a spreadsheet takes and whatever stands before it. */
import { expect, test } from 'bun:test';
import { makeFirm, owner, startTestServer } from '../support/firm.ts';
import { visitorOf } from '../support/visitor.ts';

const server = await startTestServer();

test('a cell that another separator would cut is in quotation marks, and one that hides a formula begins with an apostrophe', async () => {
  const firm = await makeFirm(server);
  const ada = await visitorOf(server, firm, owner);
  const names = ['a;=1+1', '\u200b=1+1', '\u2060\u00ad+1', '\u200e@x', '=1+1', '\u200bplain'];
  for (const lastName of names) {
    expect((await firm.owner.post('/v1/contacts', { lastName })).status).toBe(201);
  }
  const answer = await ada.post('/contacts/export');
  expect(answer.status).toBe(200);
  const cells = answer.text
    .split('\n')
    .slice(1)
    .map((line) => line.split(',Person')[0]);
  expect(new Set(cells)).toEqual(
    new Set([
      ...['"a;=1+1"', "'\u200b=1+1", "'\u2060\u00ad+1", "'\u200e@x", "'=1+1", '\u200bplain'],
      '',
    ]),
  );
});
