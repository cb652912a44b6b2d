import { describe, expect, test } from 'bun:test';
import { resources } from '../../src/contents.ts';
import { makeFirm, owner, startTestServer } from '../support/firm.ts';
import { matterFor } from '../support/samples.ts';

const server = await startTestServer();

/** A firm in which the records that the examples refer to exist. */
const makeStage = async (withoutMatter: boolean) => {
  const firm = await makeFirm(server, {
    practiceAreas: [{ name: 'Family', stages: ['Intake', 'Filed'] }],
    numbering: { lead: 'L-{####}', matter: 'M-{####}' },
    customFields: [
      { on: 'lead', name: 'Referral source', type: 'SELECT', options: ['Web', 'Friend'] },
      { on: 'contact', name: 'Preferred language', type: 'TEXT' },
    ],
  });
  const { body } = await firm.owner.post('/v1/contacts', {
    type: 'COMPANY',
    companyName: 'Quill & Co.',
  });
  // The first matter of a firm is the example itself.
  const matterId = withoutMatter ? '' : await matterFor(firm);
  return { firm, contactId: body.data.id as string, matterId };
};

type Stage = Awaited<ReturnType<typeof makeStage>>;

/** The example with this firm's ids in the place of its own. */
const withIdsOf = ({ firm, contactId, matterId }: Stage, example: object) => {
  const ids = {
    practiceAreaId: firm.practiceAreas.Family?.id,
    memberId: firm.members[owner],
    assigneeId: firm.members[owner],
    matterId,
  };
  return JSON.parse(JSON.stringify(example), (key, value) => {
    if (key === 'clientContactIds') return [contactId];
    return key in ids ? ids[key as keyof typeof ids] : value;
  });
};

/** What must be as in the example: all but ids, moments and the year in a number. */
const comparable = (answer: unknown) =>
  JSON.parse(JSON.stringify(answer), (key, value) => {
    if (key === 'publicId') return String(value).replace('2026-', '');
    return /(^id|Id|At)$/.test(key) ? typeof value : value;
  });

describe('The examples of the API description are true:', () => {
  for (const { name, noun, examples } of resources) {
    test(`the ${noun} sent is answered as it says, and its update is accepted`, async () => {
      const stage = await makeStage(name === 'matters');
      const { firm } = stage;
      const made = await firm.owner.post(
        `/v1/${name}`,
        withIdsOf(stage, examples.create as object),
      );
      expect(made.status).toBe(201);
      expect(comparable(made.body.data)).toEqual(comparable(examples.full));
      const path = `/v1/${name}/${made.body.data.id}`;
      const updated = await firm.owner.patch(path, withIdsOf(stage, examples.update as object));
      expect(updated.status).toBe(200);
      expect(updated.body.data).not.toEqual(made.body.data);
    });
  }
});
