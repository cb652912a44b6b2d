import { describe, expect, test } from 'bun:test';
import { makeFirm, startTestServer } from '../support/firm.ts';

const server = await startTestServer();

const makeContact = async () => {
  const firm = await makeFirm(server);
  const made = await firm.owner.post('/v1/contacts', { lastName: 'Quill' });
  return { firm, path: `/v1/contacts/${made.body.data.id}`, tag: made.headers.get('etag') ?? '' };
};

describe('ETag', () => {
  test('is the same on create, read and update of the same state, and another after a change', async () => {
    const { firm, path, tag } = await makeContact();
    expect(tag).toMatch(/^"\w+"$/);
    expect((await firm.owner.get(path)).headers.get('etag')).toBe(tag);
    const same = await firm.owner.patch(path, {});
    expect(same.headers.get('etag')).toBe(tag);
    const changed = await firm.owner.patch(path, { lastName: 'Rook' });
    expect(changed.headers.get('etag')).not.toBe(tag);
    expect((await firm.owner.get(path)).headers.get('etag')).toBe(changed.headers.get('etag'));
  });

  test('in If-None-Match answers 304 without a body while the record is unchanged, 200 after', async () => {
    const { firm, path, tag } = await makeContact();
    for (const known of [tag, `W/${tag}`, `"other", ${tag}`, '*']) {
      const answer = await firm.owner.get(path, { 'if-none-match': known });
      expect(answer.status).toBe(304);
      expect(answer.body).toBeUndefined();
      expect(answer.headers.get('x-request-id')).toBeTruthy();
      expect(answer.headers.get('cache-control')).toBe('no-store');
    }
    await firm.owner.patch(path, { lastName: 'Rook' });
    const answer = await firm.owner.get(path, { 'if-none-match': tag });
    expect(answer.status).toBe(200);
    expect(answer.body.data.lastName).toBe('Rook');
  });

  test('in If-Match lets the write through only while it is right: 412 precondition_failed else, nothing written', async () => {
    const { firm, path, tag } = await makeContact();
    const first = await firm.owner.patch(path, { lastName: 'Rook' }, { 'if-match': tag });
    expect(first.status).toBe(200);
    const late = await firm.owner.patch(path, { lastName: 'Pawn' }, { 'if-match': tag });
    expect(late.status).toBe(412);
    expect(late.body.error.code).toBe('precondition_failed');
    expect((await firm.owner.delete(path, { 'if-match': tag })).status).toBe(412);
    expect((await firm.owner.get(path)).body.data.lastName).toBe('Rook');
    const now = first.headers.get('etag') ?? '';
    expect((await firm.owner.delete(path, { 'if-match': now })).status).toBe(200);
    expect((await firm.owner.delete(path, { 'if-match': now })).status).toBe(404);
  });

  test('of twenty simultaneous writes with the same If-Match exactly one succeeds', async () => {
    const { firm, path, tag } = await makeContact();
    const answers = await Promise.all(
      Array.from({ length: 20 }, (_, index) =>
        firm.owner.patch(path, { nickname: `N${index}` }, { 'if-match': tag }),
      ),
    );
    const statuses = answers.map((answer) => answer.status).sort();
    expect(statuses).toEqual([200, ...Array(19).fill(412)]);
  });

  test('a write without If-Match is not held up', async () => {
    const { firm, path } = await makeContact();
    expect((await firm.owner.patch(path, { nickname: 'Q' })).status).toBe(200);
  });
});
