/** The firm's own fields in lists: as columns, as filters, and in the file. */
import { describe, expect, test } from 'bun:test';
import { attorney, bookkeeper, makeFirm, owner, startTestServer } from '../support/firm.ts';
import { attributesIn, partsIn, textsIn } from '../support/html.ts';
import { type Visitor, visitorOf } from '../support/visitor.ts';

const server = await startTestServer();

const longName = 'Æ'.repeat(255);

const fieldsOn = (on: 'contact' | 'lead' | 'matter') => [
  { on, name: 'Channel', type: 'SELECT', options: ['Web', 'Friend'] },
  { on, name: 'Tags', type: 'MULTI_SELECT', options: ['A', 'B', 'C'] },
  { on, name: 'Urgent', type: 'CHECKBOX' },
  { on, name: 'Budget', type: 'NUMBER' },
  { on, name: 'Hearing', type: 'DATE' },
  { on, name: 'Remarks', type: 'LONG_TEXT' },
  { on, name: 'Opponent', type: 'CONTACT' },
  { on, name: 'Goes with', type: 'MATTER' },
  { on, name: 'Scan', type: 'FILE' },
  { on, name: longName, type: 'TEXT' },
];

test('A long text keeps its lines on the page', async () => {
  const firm = await makeFirm(server, { customFields: fieldsOn('lead') });
  const ada = await visitorOf(server, firm, owner);
  const { id } = (await firm.owner.post('/v1/leads', { lastName: 'Quill' })).body.data;
  const text = 'Two windows <broken>.\nThe door stands open.';
  expect((await ada.post(`/leads/${id}`, { 'customFields.Remarks': text })).status).toBe(303);
  expect((await ada.get(`/leads/${id}`)).text).toContain(
    '<span class="as-written">Two windows &lt;broken>.\nThe door stands open.</span>',
  );
});

test('A number is taken as it is written, with a decimal comma or point; what could be two numbers is refused', async () => {
  const firm = await makeFirm(server, { customFields: fieldsOn('lead') });
  const ada = await visitorOf(server, firm, owner);
  const { id } = (await firm.owner.post('/v1/leads', { lastName: 'Quill' })).body.data;
  const path = `/leads/${id}`;
  const stored = async () =>
    (await firm.owner.get(`/v1/leads/${id}`)).body.data.customFields.Budget;
  for (const [text, number] of [
    ['99,90', 99.9],
    ['1.500,50', 1500.5],
    ['1,234.50', 1234.5],
    ['1,500', 1500],
    ['0,125', 0.125],
    ['$ 5 000', 5000],
  ] as const) {
    expect((await ada.post(path, { 'customFields.Budget': text })).status).toBe(303);
    expect([text, await stored()]).toEqual([text, number]);
  }
  for (const text of ['1,234,56', '1.2.3', 'twelve']) {
    expect((await ada.post(path, { 'customFields.Budget': text })).status).toBe(422);
    expect(await stored()).toBe(5000);
  }
});

describe.each([
  { list: 'leads', on: 'lead' },
  { list: 'matters', on: 'matter' },
  { list: 'contacts', on: 'contact' },
] as const)('Custom fields in the list of $list', ({ list, on }) => {
  const ready = async () => {
    const firm = await makeFirm(server, {
      roles: [
        { name: 'Attorney', permissions: ['leads:read', 'matters:read', 'contacts:read'] },
        { name: 'Reader', permissions: ['leads:read', 'matters:read'] },
      ],
      members: [
        { email: owner, name: 'Ada Harrow', role: 'Owner' },
        { email: attorney, name: 'Ben Lane', role: 'Attorney' },
        { email: bookkeeper, name: 'Cy Moss', role: 'Reader' },
      ],
      customFields: fieldsOn(on),
    });
    const ofMatter = { practiceAreaId: firm.practiceAreas.Family?.id, openDate: '2026-03-03' };
    const make = async (name: string, customFields: object = {}) => {
      const named = on === 'matter' ? { title: name, ...ofMatter } : { lastName: name };
      const made = await firm.owner.post(`/v1/${list}`, { ...named, customFields });
      expect(made.status).toBe(201);
      return made.body.data.id as string;
    };
    const ids = firm.customFields[on];
    const columns = (...names: string[]) =>
      names.map((name) => `columns=field.${ids[name]}`).join('&');
    const show = async (visitor: Visitor, query: string) => {
      const { status, text } = await visitor.get(`/${list}?view=list&${query}`);
      expect(status).toBe(200);
      return text;
    };
    return { firm, ofMatter, make, ids, columns, show, ada: await visitorOf(server, firm, owner) };
  };

  const cellsOf = (text: string) =>
    partsIn(text, 'table.folds tbody tr').map((row) => textsIn(row, 'th, td:not(.pick)'));

  const namesIn = (text: string) => attributesIn(text, 'tbody a.name', 'title');

  test('are columns that are shown if they are chosen, and then are in the file', async () => {
    const { firm, ofMatter, make, ids, columns, show, ada } = await ready();
    const opponent = (await firm.owner.post('/v1/contacts', { lastName: 'Moss' })).body.data.id;
    const other = (await firm.owner.post('/v1/matters', { ...ofMatter, title: 'Sale' })).body.data;
    await firm.owner.patch(`/v1/matters/${other.id}`, { status: 'ARCHIVE' });
    await make('Plain');
    await make('Rook', {
      Channel: 'Web',
      Tags: ['A', 'C'],
      Urgent: true,
      Budget: 12.5,
      Hearing: '2024-05-05',
      Remarks: `=1+1 ${'x'.repeat(5_000)}`,
      Opponent: opponent,
      'Goes with': other.id,
      [longName]: '<b>bold</b>',
    });
    const usual = await show(ada, '');
    for (const name of Object.keys(ids).filter((one) => one !== 'Scan')) {
      expect(usual).toContain(`value="field.${ids[name]}"`);
      expect(usual).not.toContain(`<th scope="col" class="cut" title="${name}"`);
    }
    expect(usual).not.toContain(`value="field.${ids.Scan}"`);
    const all = columns(...Object.keys(ids));
    const text = await show(ada, all);
    expect(text).toContain(`title="${longName}"`);
    const [rook = [], plain = []] = cellsOf(text);
    const remarks = `=1+1 ${'x'.repeat(250)}…`;
    expect(rook).toEqual([
      ...['Rook', 'Web', 'A, C', 'Yes', '12.5', '5 May 2024', remarks, 'Moss', other.publicId],
      '<b>bold</b>',
    ]);
    expect(text).toContain('&lt;b>bold');
    expect(plain).toEqual(['Plain', ...Array(9).fill('None')]);
    const file = await ada.post(`/${list}/export?view=list&${all}`);
    const [head = '', first = '', second = ''] = file.text.trim().split(/\r?\n/);
    expect(head.replace('\uFEFF', '')).toEndWith(
      `,Channel,Tags,Urgent,Budget,Hearing,Remarks,Opponent,Goes with,${longName}`,
    );
    const inFile = `'=1+1 ${'x'.repeat(4_091)}…`;
    expect(first).toBe(
      `Rook,Web,"A, C",Yes,12.5,2024-05-05,${inFile},Moss,${other.publicId},<b>bold</b>`,
    );
    expect(second).toBe('Plain,,,,,,,,,');
    // None is sorted by.
    expect(text).not.toContain('sort=field');
    // A new label, and a field that is gone: its column is left out.
    await ada.post(`/settings/fields/${ids.Channel}`, { name: 'Came by' });
    expect(await show(ada, columns('Channel'))).toContain('title="Came by"');
    const lost = { standing: '1', deleted: '0' };
    expect((await ada.post(`/settings/fields/${ids.Budget}/remove`, lost)).status).toBe(303);
    expect(cellsOf(await show(ada, columns('Budget', 'Urgent')))[0]).toEqual(['Rook', 'Yes']);
  });

  test('name a record only to those who see it', async () => {
    const { firm, make, columns, show, ada } = await ready();
    const hidden = (await firm.owner.post('/v1/leads', { lastName: 'Ash', isPrivate: true })).body
      .data.contact.id;
    const open = (await firm.owner.post('/v1/contacts', { lastName: 'Moss' })).body.data.id;
    await make('Rook', { Opponent: hidden });
    await make('Quill', { Opponent: open });
    const namesFor = async (visitor: Visitor) =>
      cellsOf(await show(visitor, `q=rook&${columns('Opponent')}`)).concat(
        cellsOf(await show(visitor, `q=quill&${columns('Opponent')}`)),
      );
    const [ben, cy] = [
      await visitorOf(server, firm, attorney),
      await visitorOf(server, firm, bookkeeper),
    ];
    const unseen = 'Not visible to you';
    for (const [visitor, names] of [
      [ada, ['Ash', 'Moss']],
      [ben, [unseen, 'Moss']],
      ...(on === 'contact' ? [] : [[cy, [unseen, unseen]] as const]),
      [ada, ['Ash', 'Moss']],
    ] as const) {
      expect(await namesFor(visitor)).toEqual([
        ['Rook', names[0]],
        ['Quill', names[1]],
      ]);
    }
  });

  test('filter: a choice, one of several, yes or no; in the bar while the column is shown', async () => {
    const { make, ids, columns, show, ada } = await ready();
    await make('Web', { Channel: 'Web', Tags: ['A', 'B'], Urgent: true });
    await make('Friend', { Channel: 'Friend', Tags: ['B'], Urgent: false });
    await make('Plain');
    const found = async (query: string) => namesIn(await show(ada, query));
    expect(await found('')).toEqual(['Plain', 'Friend', 'Web']);
    expect(await found(`field.${ids.Channel}=Web`)).toEqual(['Web']);
    expect(await found(`field.${ids.Tags}=B`)).toEqual(['Friend', 'Web']);
    expect(await found(`field.${ids.Tags}=A`)).toEqual(['Web']);
    expect(await found(`field.${ids.Tags}=C`)).toEqual([]);
    expect(await found(`field.${ids.Urgent}=true`)).toEqual(['Web']);
    expect(await found(`field.${ids.Urgent}=false`)).toEqual(['Friend']);
    expect(await found(`field.${ids.Urgent}=nonsense`)).toEqual([]);
    expect(await found(`field.${ids.Urgent}=true&field.${ids.Channel}=Friend`)).toEqual([]);

    const named = (part: string, name = 'Channel') => `${part} [name="field.${ids[name]}"]`;
    const usual = await show(ada, '');
    expect(partsIn(usual, named('form.toolbar'))).toEqual([]);
    expect(partsIn(usual, named('dialog#filters'))).toHaveLength(1);
    const chosen = await show(ada, `${columns('Channel')}&field.${ids.Channel}=Web`);
    // The dialog of further filters keeps it, and it has no chip beside its control.
    for (const part of ['form.toolbar', 'dialog#filters']) {
      expect(textsIn(chosen, `${named(part)} option[selected]`)).toEqual(['Web']);
    }
    expect(chosen).not.toContain('Remove the filter Channel');
    expect(await show(ada, `field.${ids.Urgent}=true`)).toContain('Remove the filter Urgent: Yes');
  });
});
