import { expect, test } from 'bun:test';
import { hireLead } from '../../src/hiring/hire.ts';
import { administrator } from '../../src/record/actor.ts';
import { onDatabase } from '../support/database.ts';
import { makeFirm, startTestServer } from '../support/firm.ts';

const server = await startTestServer();

test('a hire takes the lead’s name and custom fields along, whichever door it comes through', async () => {
  const firm = await makeFirm(server, {
    customFields: [
      { on: 'lead', name: 'Employer', type: 'TEXT' },
      { on: 'lead', name: 'Court', type: 'TEXT' },
      { on: 'lead', name: 'Source', type: 'SELECT', options: ['Website', 'Letter'] },
      { on: 'lead', name: 'Budget', type: 'TEXT' },
      { on: 'matter', name: 'Employer', type: 'TEXT' },
      { on: 'matter', name: 'Court', type: 'TEXT' },
      { on: 'matter', name: 'Source', type: 'SELECT', options: ['Letter'] },
      { on: 'matter', name: 'Budget', type: 'NUMBER' },
    ],
  });
  const values = { Employer: 'Rook Ltd', Court: 'Dover', Source: 'Website', Budget: '500' };
  const lead = (await firm.owner.post('/v1/leads', { lastName: 'Quill', customFields: values }))
    .body.data;
  // A caller that knows nothing of the lead's fields, but says one of the matter's.
  const matter = await onDatabase(server.databaseUrl, (database) =>
    hireLead(administrator(database, firm.id), lead.id, {
      practiceAreaId: firm.practiceAreas.Family?.id ?? '',
      openDate: '2026-11-24',
      clientContactIds: [lead.contact.id],
      customFields: { Court: 'Deal' },
    }),
  );
  const { title, customFields } = (await firm.owner.get(`/v1/matters/${matter.id}`)).body.data;
  // It says no title.
  expect(title).toBe('Quill');
  expect(customFields).toEqual({ Employer: 'Rook Ltd', Court: 'Deal', Source: null, Budget: null });
});
