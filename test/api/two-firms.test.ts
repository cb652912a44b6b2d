import { beforeAll, describe, expect, test } from 'bun:test';
import { resources } from '../../src/contents.ts';
import { auditOf, expectRefusal, unknownId } from '../support/expectations.ts';
import { type Firm, makeFirm, startTestServer } from '../support/firm.ts';
import { type Sample, samples } from '../support/samples.ts';

const server = await startTestServer();

const cards = resources.map(({ name }) => {
  return { name, path: `/v1/${name}`, sample: samples[name] as Sample };
});

describe.each(cards)('No route shows or changes another firm’s $name', ({ path, sample }) => {
  let ours: Firm;
  let theirs: Firm;
  let contactId: string;
  let theirId: string;
  beforeAll(async () => {
    [ours, theirs] = await Promise.all([makeFirm(server), makeFirm(server)]);
    contactId = (await theirs.owner.post('/v1/contacts', { lastName: 'Vane' })).body.data.id;
    theirId = (await theirs.owner.post(path, await sample.create(theirs))).body.data.id;
  });

  test('by id: read, update and delete answer 404 in the words of an unknown id, and nothing changes', async () => {
    const [before, audited] = [await theirs.owner.get(`${path}/${theirId}`), await auditOf(theirs)];
    const unknown = await ours.owner.get(`${path}/${unknownId}`);
    for (const answer of [
      await ours.owner.get(`${path}/${theirId}`),
      await ours.owner.patch(`${path}/${theirId}`, sample.change),
      await ours.owner.patch(`${path}/${theirId}`, {}),
      await ours.owner.patch(`${path}/${theirId}`, sample.misshapen),
      await ours.owner.delete(`${path}/${theirId}`),
    ]) {
      expect(answer.status).toBe(404);
      expect(answer.body).toEqual(unknown.body);
    }
    expect((await theirs.owner.get(`${path}/${theirId}`)).body).toEqual(before.body);
    expect(await auditOf(theirs)).toEqual(audited);
  });

  test('in lists: neither the record nor a count of it', async () => {
    const before = (await ours.owner.get(await sample.list(ours))).body;
    const made = await theirs.owner.post(path, await sample.create(theirs));
    expect(made.status).toBe(201);
    expect((await ours.owner.get(await sample.list(ours))).body).toEqual(before);
    expect(JSON.stringify(before)).not.toContain(theirId);
    await theirs.owner.delete(`${path}/${made.body.data.id}`);
    expect((await ours.owner.get(await sample.list(ours))).body).toEqual(before);
  });

  if (sample.references)
    test('by ids inside bodies: 404 naming the field, nothing is written', async () => {
      const foreign = sample.references?.(theirs, contactId);
      const mine = await ours.owner.post(path, await sample.create(ours));
      const before = (await ours.owner.get(await sample.list(ours))).body;
      for (const [field, body] of Object.entries(foreign ?? {})) {
        const created = await ours.owner.post(path, { ...(await sample.create(ours)), ...body });
        expectRefusal(created, 404, 'not_found', field);
        if (!sample.movable?.includes(field)) continue;
        const moved = await ours.owner.patch(`${path}/${mine.body.data.id}`, body);
        expectRefusal(moved, 404, 'not_found', field);
        expect(moved.body).toEqual(created.body);
      }
      expect((await ours.owner.get(await sample.list(ours))).body).toEqual(before);
    });
});
