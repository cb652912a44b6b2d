/** A form costs what it holds, and never the square of its fields. */
import { describe, expect, test } from 'bun:test';
import { makeFirm, owner, startTestServer } from '../../support/firm.ts';
import { growthOf } from '../../support/growth.ts';
import { visitorOf, visitorWith } from '../../support/visitor.ts';

const server = await startTestServer();
const maxFields = 5_000;

/** As many fields as this, each with another name. */
const distinct = (count: number): Record<string, string> =>
  Object.fromEntries(Array.from({ length: count }, (_, at) => [`n${at}`, 'x']));

describe('Four times the fields cost at most six times as much', () => {
  type Sent = Record<string, string | string[]>;
  const many = (count: number, fields: (at: number) => [string, string][]): Sent =>
    Object.fromEntries(Array.from({ length: count }, (_, at) => fields(at)).flat());
  const same = (name: string) => (count: number) => ({ [name]: Array(count).fill('x') });
  const pairs = (first: string, second: string) => (count: number) =>
    many(count / 2, (at) => [
      [`${first}${at}`, 'x'],
      [`${second}${at}`, 'y'],
    ]);
  const shapes: [form: string, shape: string, of: (count: number) => Sent][] = [
    ['/sign-in?form=/x', 'other names', distinct],
    ['/leads/new', 'other names', distinct],
    ['/contacts/:id', 'values of a list', same('emails')],
    ['/contacts/:id', 'custom fields', pairs('customFields.', 'was.customFields.')],
    ['/contacts/:id/merge', 'choices', (count) => many(count, (at) => [[`field.${at}`, 'merged']])],
    [
      '/matters/:matter/team',
      'a team',
      (count) => many(count, (at) => [[`team[${at}].memberId`, 'x']]),
    ],
    ['/matters/new', 'clients', same('clientContactIds')],
    ['/settings/roles', 'roles', same('roles')],
    ['/settings/roles', 'permissions', pairs('may.', 'was.')],
  ];
  for (const [form, shape, of] of shapes) {
    test(`${form}: ${shape}`, async () => {
      const firm = await makeFirm(server);
      const ada = await visitorOf(server, firm, owner);
      const { id } = (await firm.owner.post('/v1/contacts', { lastName: 'Quill' })).body.data;
      const matter = await firm.owner.post('/v1/matters', {
        ...{ title: 'Quill', openDate: '2026-03-02', clientContactIds: [id] },
        practiceAreaId: firm.practiceAreas.Family?.id,
      });
      const path = form.replace(':id', id).replace(':matter', matter.body.data.id);
      const visitor = form.startsWith('/sign-in') ? visitorWith(server.url, '') : ada;
      const work = async (size: number) => {
        // It is refused, so that it can be sent again and again.
        const fields = { once: '1', firstName: 'x'.repeat(200), ...of(size - 10) };
        const { status } = await visitor.post(path, fields);
        expect(status).toBeLessThan(500);
      };
      expect(await growthOf(work, maxFields)).toBeLessThanOrEqual(6);
    });
  }
});
