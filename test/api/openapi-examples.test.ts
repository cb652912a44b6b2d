import { describe, expect, test } from 'bun:test';
import { resources } from '../../src/contents.ts';
import { type Firm, makeFirm, owner, startTestServer } from '../support/firm.ts';

const server = await startTestServer();

/** A firm in which the records that the examples refer to exist. */
const makeStage = async () => {
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
  return { firm, contactId: body.data.id as string };
};

/** The example with this firm's ids in the place of its own. */
const withIdsOf = (firm: Firm, contactId: string, example: object) => {
  const ids = { practiceAreaId: firm.practiceAreas.Family?.id, memberId: firm.members[owner] };
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
      const { firm, contactId } = await makeStage();
      const made = await firm.owner.post(
        `/v1/${name}`,
        withIdsOf(firm, contactId, examples.create as object),
      );
      expect(made.status).toBe(201);
      expect(comparable(made.body.data)).toEqual(comparable(examples.full));
      const path = `/v1/${name}/${made.body.data.id}`;
      const updated = await firm.owner.patch(
        path,
        withIdsOf(firm, contactId, examples.update as object),
      );
      expect(updated.status).toBe(200);
      expect(updated.body.data).not.toEqual(made.body.data);
    });
  }
});
