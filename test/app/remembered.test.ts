/** Parts of a page that the server remembers show every change, and nobody gets what is another's. */
import { expect, test } from 'bun:test';
import {
  attorney,
  bookkeeper,
  makeFirm,
  owner,
  startTestServer,
  usualBlueprint,
} from '../support/firm.ts';
import { attributesIn, choiceIn, partsIn, textsIn } from '../support/html.ts';
import { type Visitor, visitorOf } from '../support/visitor.ts';

const server = await startTestServer();
const list = '/leads?view=list&status=ALL';

const newFirm = async (area: string) => {
  const firm = await makeFirm(server, { practiceAreas: [{ name: area, stages: ['Intake'] }] });
  const [ada, ben] = await Promise.all(
    [owner, attorney].map((email) => visitorOf(server, firm, email)),
  );
  return { firm, ada: ada as Visitor, ben: ben as Visitor };
};

/** What a page says, asked for twice: the second time the server remembers it. */
const textOf = async (visitor: Visitor, path = list) => {
  const first = await visitor.get(path);
  const { text } = await visitor.get(path);
  // A minute may pass in between.
  const [before, now] = [first.text, text].map((one) => one.replace(/· Printed by .*?<\/p>/s, ''));
  expect(before).not.toContain('Printed by');
  expect(now).toBe(before ?? '');
  return text;
};

test('a list offers what the firm has now, and nothing of another firm', async () => {
  const { firm, ada } = await newFirm('Maritime');
  const other = await newFirm('Aviation');
  expect(await textOf(ada)).toContain('>Maritime</option>');
  const theirs = await textOf(other.ada);
  expect(theirs).toContain('>Aviation</option>');
  expect(theirs).not.toContain('Maritime');
  const at = `/settings/practice-areas/${firm.practiceAreas.Maritime?.id}`;
  expect((await ada.post(at, { name: 'Shipping' })).status).toBe(303);
  const renamed = await textOf(ada);
  expect(renamed).toContain('>Shipping</option>');
  expect(renamed).not.toContain('Maritime');
});

test('the chosen filter, the columns and the sorting are those of the address', async () => {
  const { ada } = await newFirm('Family');
  expect((await ada.post('/leads/new', { lastName: 'Roe', value: 'HIGH' })).status).toBe(303);
  expect(await textOf(ada)).not.toContain('value="HIGH" selected');
  const chosen = await textOf(ada, `${list}&value=HIGH&sort=-name`);
  expect(chosen).toContain('value="HIGH" selected');
  expect(chosen).toContain('aria-sort="descending"');
  expect(partsIn(await textOf(ada, `${list}&do=columns`), 'dialog#columns[open]')).toHaveLength(1);
  expect(partsIn(await textOf(ada), 'dialog[open]')).toEqual([]);
});

test('a view of one member is not offered to another one', async () => {
  const { ada, ben } = await newFirm('Family');
  await textOf(ben);
  expect((await ada.post('/leads/views', { do: 'views', name: 'Only Ada’s' })).status).toBe(303);
  expect(await textOf(ada)).toContain('Only Ada’s');
  expect(await textOf(ben)).not.toContain('Only Ada’s');
});

test('the navigation is that of the member’s role, also right after it was changed', async () => {
  const { firm, ada, ben } = await newFirm('Family');
  const links = async (visitor: Visitor) => {
    const text = await textOf(visitor, '/inbox');
    return ['href="/leads"', 'href="/leads/new"', '&quot;New lead&quot;', 'Ben Lane'].map((part) =>
      text.includes(part),
    );
  };
  expect(await links(ada)).toEqual([true, true, true, false]);
  expect(await links(ben)).toEqual([true, true, true, true]);
  const invite = (await ada.get('/settings/members?do=invite')).text;
  const roleId = choiceIn(invite, 'Bookkeeper');
  const at = `/settings/members/${firm.members[attorney]}`;
  expect((await ada.post(at, { roleId })).status).toBe(303);
  expect(await links(ben)).toEqual([false, false, false, true]);
  expect(await links(ada)).toEqual([true, true, true, false]);
});

test('a row has the columns of the address, the present name, and a box only for who may tick it', async () => {
  const [, reader] = usualBlueprint.roles.map(({ name }) => ({
    name,
    permissions: ['leads:read'],
  }));
  const firm = await makeFirm(server, { roles: [usualBlueprint.roles[0], reader] });
  const ada = await visitorOf(server, firm, owner);
  const cy = await visitorOf(server, firm, bookkeeper);
  const { body } = await firm.owner.post('/v1/leads', { lastName: 'Roe' });
  const box = 'aria-label="Select Roe"';
  expect(await textOf(ada)).toContain(box);
  expect(await textOf(ada)).not.toContain('>Not yet<');
  expect(await textOf(ada, `${list}&columns=name,decided`)).toContain('>Not yet<');
  const read = await textOf(cy);
  expect(read).toContain('title="Roe"');
  expect(read).not.toContain(box);
  const at = `/v1/contacts/${body.data.contact.id}`;
  expect((await firm.owner.patch(at, { lastName: 'Doe' })).status).toBe(200);
  const renamed = await textOf(ada);
  expect(renamed).toContain('aria-label="Select Doe"');
  expect(renamed).not.toContain('title="Roe"');
});

test('what a hire is asked is what the firm has now, and nothing of another firm', async () => {
  const { firm, ada } = await newFirm('Maritime');
  const other = await newFirm('Aviation');
  const leadOf = async ({ owner }: typeof firm) =>
    `/leads/${(await owner.post('/v1/leads', { lastName: 'Roe' })).body.data.id}`;
  const [path, theirs] = [await leadOf(firm), await leadOf(other.firm)];
  /** What its dialog shows the second time: the server remembers parts of it. */
  const asked = async (visitor: Visitor, lead: string) => {
    await visitor.get(lead);
    return partsIn((await visitor.get(lead)).text, 'dialog#hire').join('');
  };
  const first = await asked(ada, path);
  expect(first).toContain('>Maritime</option>');
  expect(attributesIn(first, 'label', 'for')).toContain('f-hire-practiceAreaId');
  expect(await asked(other.ada, theirs)).not.toContain('Maritime');
  const at = `/settings/practice-areas/${firm.practiceAreas.Maritime?.id}`;
  expect((await ada.post(at, { name: 'Shipping' })).status).toBe(303);
  const renamed = await asked(ada, path);
  expect(renamed).toContain('>Shipping</option>');
  expect(renamed).not.toContain('Maritime');
  const team = async () =>
    textsIn(await asked(ada, path), 'select[name="team[0].memberId"] option[selected]');
  expect(await team()).toEqual(['Ada Harrow']);
  const assigneeIds = [firm.members[attorney] ?? ''];
  expect((await ada.post(`${path}/assignees`, { assigneeIds })).status).toBe(303);
  expect(await team()).toEqual(['Ben Lane']);
});

test('the details of a record are those of the visitor, their formats and the present values', async () => {
  const [attorneys, books] = usualBlueprint.roles;
  const blind = { ...books, permissions: ['leads:read', 'matters:read'] };
  const firm = await makeFirm(server, {
    roles: [attorneys, blind],
    customFields: [
      { name: 'Referred by', on: 'lead', type: 'CONTACT' },
      { name: 'Renewal', on: 'lead', type: 'DATE' },
    ],
  });
  const ada = await visitorOf(server, firm, owner);
  const cy = await visitorOf(server, firm, bookkeeper);
  const from = await firm.owner.post('/v1/contacts', { lastName: 'Ingleby' });
  const { body } = await firm.owner.post('/v1/leads', {
    lastName: 'Roe',
    customFields: { 'Referred by': from.body.data.id, Renewal: '2031-03-14' },
  });
  const path = `/leads/${body.data.id}`;
  /** What the page says of them, asked for twice: the second time the server remembers it. */
  const details = async (visitor: Visitor) => {
    const of = async () => partsIn((await visitor.get(path)).text, 'section#details').join('');
    const first = await of();
    expect(await of()).toBe(first);
    return first;
  };
  const seen = await details(ada);
  expect(seen).toContain('>Ingleby</a>');
  expect(seen).toContain('14 Mar 2031');
  expect(seen).toContain(`action="${path}"`);
  const unseen = await details(cy);
  expect(unseen).toContain('Not visible to you');
  expect(unseen).not.toContain('Ingleby');
  expect(unseen).not.toContain('<form');
  expect((await cy.post('/settings/me/formats', { dayOrder: 'MDY' })).status).toBe(303);
  expect(await details(cy)).toContain('Mar 14, 2031');
  expect(await details(ada)).toContain('14 Mar 2031');
  const change = { 'customFields.Renewal': '2032-04-15' };
  expect((await ada.post(path, change)).status).toBe(303);
  expect(await details(ada)).toContain('15 Apr 2032');
  const at = `/v1/contacts/${from.body.data.id}`;
  expect((await firm.owner.patch(at, { lastName: 'Oldroyd' })).status).toBe(200);
  expect(await details(ada)).toContain('>Oldroyd</a>');
});
