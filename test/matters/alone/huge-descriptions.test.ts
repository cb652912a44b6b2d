/**
 * A description has no limit of its own: a matter's body does. Such a body keeps Postgres busy for
 * seconds, and its statements have five: nothing runs beside them.
 */
import { expect, test } from 'bun:test';
import { expectRefusal, totalOf } from '../../support/expectations.ts';
import { comingAgain, makeFirm, startTestServer } from '../../support/firm.ts';
import { isWhole } from '../../support/whole.ts';

const firm = await makeFirm(await startTestServer());
const owner = comingAgain(firm.owner);
const least = { practiceAreaId: firm.practiceAreas.Family?.id, openDate: '2026-02-03' };
const path = `/v1/matters/${(await owner.post('/v1/matters', least)).body.data.id}`;

test.each([
  ['ASCII', 'x', 15_000_000],
  ['line ends', '\r\n', 1_000_000],
  ['quotes', '"\\', 1_000_000],
  ['3-byte characters', '€', 1_000_000],
  ['4-byte characters', '😀', 1_000_000],
] as const)('many mebibytes are kept to the last character: %s', async (_, unit, times) => {
  const text = unit.repeat(isWhole ? times : times / 10);
  const { status, body } = await owner.post('/v1/matters', {
    ...least,
    description: text,
  });
  expect(status).toBe(201);
  // Compared by hand: a failure would print megabytes.
  expect(body.data.description === text).toBe(true);
  const read = await owner.get(`/v1/matters/${body.data.id}`);
  expect(read.body.data.description === text).toBe(true);
  const changed = await owner.patch(`/v1/matters/${body.data.id}`, {
    description: `${text}!`,
  });
  expect(changed.body.data.description === `${text}!`).toBe(true);
  await owner.patch(`/v1/matters/${body.data.id}`, { description: null });
  await owner.delete(`/v1/matters/${body.data.id}`);
});

test('large bodies that come at the same moment are all read', async () => {
  const matter = { ...least, title: 'x'.repeat(2 * 1024 * 1024) };
  const answers = await Promise.all(
    Array.from({ length: 6 }, () => owner.post('/v1/matters', matter)),
  );
  for (const answer of answers) expectRefusal(answer, 400, 'invalid_request', 'title');
});

test('the body of a matter is at most 16 MiB, to the byte', async () => {
  const limit = 16 * 1024 * 1024;
  const ofLength = (bytes: number, body: object) => {
    const start = JSON.stringify({ ...body, description: '' });
    return `${start.slice(0, -2)}${'x'.repeat(bytes - start.length)}"}`;
  };
  for (const length of [limit - 1, limit]) {
    const body = ofLength(length, least);
    expect(body.length).toBe(length);
    const made = await owner.post('/v1/matters', body);
    expect(made.status).toBe(201);
    await owner.delete(`/v1/matters/${made.body.data.id}`);
  }
  const before = await totalOf(owner.get('/v1/matters'));
  for (const length of [limit + 1, 2 * limit]) {
    const made = await owner.post('/v1/matters', ofLength(length, least));
    expectRefusal(made, 413, 'payload_too_large', '16 MiB');
    expectRefusal(
      await owner.patch(path, ofLength(length, {})),
      413,
      'payload_too_large',
      '16 MiB',
    );
  }
  expect(await totalOf(owner.get('/v1/matters'))).toBe(before);
  // The limit of the others stays what it is.
  const other = await owner.post('/v1/matter-types', ofLength(1024 * 1024 + 1, least));
  expectRefusal(other, 413, 'payload_too_large', '1 MiB');
});
