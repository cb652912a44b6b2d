import { expect, test } from 'bun:test';
import { resources } from '../../src/contents.ts';
import { totalOf } from '../support/expectations.ts';
import { makePatientFirm, startTestServer } from '../support/firm.ts';
import { samples } from '../support/samples.ts';

const server = await startTestServer();

const areas = [
  { name: 'Family', stages: ['Intake', 'Filed'] },
  { name: 'Estates', stages: ['Intake'] },
];

// A firm that was there before a resource came has no register of its records either.
test.each(resources.map(({ name }) => ({ name })))(
  'the first of the $name of a firm make their register, also where twelve come at once',
  async ({ name }) => {
    const practiceAreas = name === 'practice-areas' ? [] : areas;
    const firm = await makePatientFirm(server, { practiceAreas });
    const sample = samples[name];
    if (!sample) throw new Error(`test/support/samples.ts has no sample of ${name}.`);
    const list = await sample.list(firm);
    expect(await totalOf(firm.owner.get(list))).toBe(0);
    const body = await sample.create(firm);
    const answers = await Promise.all(
      Array.from({ length: 12 }, () => firm.owner.post(`/v1/${name}`, body)),
    );
    expect(answers.map(({ status }) => status)).toEqual(answers.map(() => 201));
    expect(await totalOf(firm.owner.get(list))).toBe(12);
    const ids = (await firm.owner.get(list)).body.data.map(({ id }: { id: string }) => id);
    expect(new Set(ids)).toEqual(new Set(answers.map(({ body }) => body.data.id)));
  },
);
