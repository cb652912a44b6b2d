/** Deleted contacts, in the settings: who sees them, and how they come back. */
import { describe, expect, test } from 'bun:test';
import { connect } from '../support/database.ts';
import { attorney, makeFirm, owner, startTestServer } from '../support/firm.ts';
import { visitorOf } from '../support/visitor.ts';

const server = await startTestServer();
const sql = connect(server.databaseUrl);
const here = '/settings/deleted?kind=contacts';
const restoring = (id: string) => `/settings/deleted/contacts/${id}/restore`;

const ready = async () => {
  const firm = await makeFirm(server);
  const [ada, ben] = [
    await visitorOf(server, firm, owner),
    await visitorOf(server, firm, attorney),
  ];
  const person = async (lastName: string) =>
    (await firm.owner.post('/v1/contacts', { lastName })).body.data.id as string;
  const found = async (words: string) =>
    (await firm.owner.get(`/v1/search?q=${words}`)).body.data.map(({ id }: { id: string }) => id);
  const total = async () => (await firm.owner.get('/v1/contacts')).body.pagination.total as number;
  return { firm, ada, ben, person, found, total };
};

describe('A deleted contact', () => {
  test('comes back as it was, with its lead, its place in the search, the count and the log', async () => {
    const { firm, ada, found, total } = await ready();
    const lead = await firm.owner.post('/v1/leads', { lastName: 'Quillfeather' });
    const { id: leadId, contact } = lead.body.data;
    const id = contact.id as string;
    const [before, listed] = [await firm.owner.get(`/v1/contacts/${id}`), await total()];
    expect((await ada.post(restoring(id))).status).toBe(404);
    await firm.owner.delete(`/v1/contacts/${id}`);
    expect(await found('quillfeather')).toEqual([]);
    const page = await ada.get(here);
    expect(page.text).toContain('Quillfeather');
    expect(page.text).toContain(`action="${restoring(id)}"`);

    expect((await ada.post(restoring(id))).location).toBe(here);
    expect((await firm.owner.get(`/v1/contacts/${id}`)).body).toEqual(before.body);
    expect((await found('quillfeather')).sort()).toEqual([id, leadId].sort());
    expect(await total()).toBe(listed);
    expect((await firm.owner.get(`/v1/leads/${leadId}`)).body.data.contact.id).toBe(id);
    expect((await firm.owner.patch(`/v1/leads/${leadId}`, { value: 'HIGH' })).status).toBe(200);
    expect((await ada.get(here)).text).toContain('There are no deleted contacts.');
    const entries = await sql`select action, changes ? 'deletedAt' as "restored" from audit_entry
      where firm_id = ${firm.id} and record_id = ${id} and key_id is null
        and member_id = ${firm.members[owner] ?? ''}`;
    expect([...entries]).toEqual([{ action: 'update', restored: true }]);
    expect((await ada.post(restoring(id))).status).toBe(404);
  });

  test('of a private lead is there only for those who see the lead, and stays private', async () => {
    const { firm, ada, ben } = await ready();
    const lead = await firm.owner.post('/v1/leads', { lastName: 'Hushmore', isPrivate: true });
    const { id } = lead.body.data.contact;
    await firm.owner.delete(`/v1/contacts/${id}`);
    expect((await ben.get(here)).text).not.toContain('Hushmore');
    expect((await ben.post(restoring(id))).status).toBe(404);
    expect((await ada.get(here)).text).toContain('private');
    expect((await ada.post(restoring(id))).status).toBe(303);
    expect((await ben.get(`/contacts/${id}`)).status).toBe(404);
    const other = await ready();
    await firm.owner.delete(`/v1/contacts/${id}`);
    expect((await other.ada.post(restoring(id))).status).toBe(404);
    expect((await other.ada.get(here)).text).not.toContain('Hushmore');
  });

  test('that was merged is not restored: its merge is undone instead', async () => {
    const { firm, ada, person, total } = await ready();
    const [kept, merged] = [await person('Keptworth'), await person('Goneworth')];
    await ada.post(`/contacts/${kept}/merge`, { with: merged });
    const page = await ada.get(here);
    expect(page.text).toContain('merged into another contact');
    expect(page.text).not.toContain(restoring(merged));
    const refused = await ada.post(restoring(merged), {});
    expect(refused.status).toBe(422);
    expect(refused.text).toContain('Undo the merge on the page of that contact');
    expect((await firm.owner.get(`/v1/contacts/${merged}`)).status).toBe(404);
    expect(await total()).toBe(1);
    const undo = /\/contacts\/merges\/[\w-]{36}\/undo/.exec(
      (await ada.get(`/contacts/${kept}`)).text,
    )?.[0];
    await ada.post(undo ?? '');
    await firm.owner.delete(`/v1/contacts/${merged}`);
    expect((await ada.post(restoring(merged))).status).toBe(303);
    expect(await total()).toBe(2);
  });
});
