/** A file of contacts, as the pages of the settings bring it in. */
import { describe, expect, test } from 'bun:test';
import { attorney, bookkeeper, makeFirm, owner, startTestServer } from '../support/firm.ts';
import { partsIn, textIn } from '../support/html.ts';
import {
  bringIn,
  checkRows,
  formOf,
  refusedIn,
  saidBy,
  untilSaid,
  uploadCsv,
} from '../support/imports.ts';
import { visitorOf } from '../support/visitor.ts';

const server = await startTestServer();

const ready = async (parts = {}) => {
  const firm = await makeFirm(server, parts);
  return { firm, ada: await visitorOf(server, firm, owner) };
};

const clio = [
  'title,job_title,first_name,last_name,company,business_street,email_address,primary_phone',
  'Ms,Partner,Zoe,Quill,Quill & Co.,1 High Street,zoe@quill.example,+1 555 010 0001',
  ',,,,Rook Ltd,2 Low Street,office@rook.example,',
  ',,Adam,Moss,,,,',
  ',,,,,Nobody lives here,,',
].join('\n');

describe('A file of contacts', () => {
  test('with Clio’s columns is understood, previewed, imported and found', async () => {
    const { firm, ada } = await ready();
    const path = await uploadCsv(ada, 'contact', clio, 'Clio contacts.csv');
    expect(await formOf(ada, path)).toMatchObject({
      separator: ',',
      'column.0': 'prefix',
      'column.1': '',
      'column.2': 'firstName',
      'column.3': 'lastName',
      'column.4': 'companyName',
      'column.5': '',
      'column.6': 'emails',
      'column.7': 'phones',
    });
    const preview = await checkRows(ada, path, { 'column.1': 'new' });
    expect(saidBy(preview)).toEqual({ made: 3, known: 0, refused: 1 });
    expect(refusedIn(preview)).toEqual([['5', 'Last name or first name is needed.']]);
    expect((await firm.owner.get('/v1/contacts')).body.pagination.total).toBe(0);

    const result = await bringIn(ada, path);
    expect(saidBy(result)).toEqual(saidBy(preview));
    expect(refusedIn(result)).toEqual(refusedIn(preview));
    const { data } = (await firm.owner.get('/v1/contacts')).body;
    data.sort((one: { name: string }, other: { name: string }) => (one.name < other.name ? -1 : 1));
    expect(data.map(({ name, type }: { name: string; type: string }) => [name, type])).toEqual([
      ['Adam Moss', 'PERSON'],
      ['Rook Ltd', 'COMPANY'],
      ['Zoe Quill', 'PERSON'],
    ]);
    const log = (await ada.get('/settings/audit')).text
      .replaceAll(/<[^>]*>/g, ' ')
      .replaceAll(/ +/g, ' ');
    for (const step of ['uploaded a file for', 'checked', 'began', 'finished']) {
      expect(log).toContain(`Ada Harrow ${step} the import`);
    }
    expect(log).toContain('contact · rows 4 · Clio contacts.csv');
    expect(log).toContain('new 3 · rows 4 · refused 1');
    const zoe = (await firm.owner.get(`/v1/contacts/${data[2].id}`)).body.data;
    expect(zoe).toMatchObject({
      prefix: 'Ms',
      companyName: 'Quill & Co.',
      customFields: { job_title: 'Partner' },
    });
    const found = await firm.owner.get('/v1/search?q=zoe%40quill.example');
    expect(found.body.data.map(({ id }: { id: string }) => id)).toEqual([zoe.id]);
  });

  test('skips a row with more cells than columns: nothing of it would be lost in silence', async () => {
    const { ada } = await ready();
    const csv = [
      'Last name,Notes',
      'Quill,called about a will, very urgent',
      'Rook,fine,,',
      'Moss,"called, twice"',
    ].join('\n');
    const path = await uploadCsv(ada, 'contact', csv);
    const why =
      'The row has 3 cells, and there are 2 columns. Put a text that contains commas in quotation marks.';
    expect(refusedIn(await checkRows(ada, path))).toEqual([['2', why]]);
    const done = await bringIn(ada, path);
    expect(saidBy(done)).toEqual({ made: 2, known: 0, refused: 1 });
    expect((await ada.get(`${path}/refused`)).text).toContain(
      'Quill,"called about a will, very urgent",2,',
    );
  });

  test('skips a row whose email is none, as the form refuses it, and numbers rows as a spreadsheet', async () => {
    const { firm, ada } = await ready();
    const csv = [
      'Last name,Email,Notes',
      'Quill,zoe@quill.example; z@quill.example,',
      '',
      ',,',
      '"Mo\nss",adam@moss.example,"two',
      'lines"',
      'Rook,not-an-email,',
      '',
      ',,nobody',
    ].join('\n');
    const path = await uploadCsv(ada, 'contact', csv);
    const preview = await checkRows(ada, path);
    expect(saidBy(preview)).toEqual({ made: 2, known: 0, refused: 2 });
    const why = [
      [
        '6',
        'Email must be an email address, for example ada@harrow.example. The file has “not-an-email”.',
      ],
      ['8', 'Last name or first name is needed.'],
    ] as [string, string][];
    expect(refusedIn(preview)).toEqual(why);
    expect(refusedIn(await bringIn(ada, path))).toEqual(why);
    const file = (await ada.get(`${path}/refused`)).text;
    expect(file).toContain('Rook,not-an-email,,6,');
    expect(file).toContain(',,nobody,8,');
    const { data } = (await firm.owner.get('/v1/contacts')).body;
    const quill = data.find(({ name }: { name: string }) => name === 'Quill');
    expect(quill.emails.map(({ address }: { address: string }) => address)).toEqual([
      'zoe@quill.example',
      'z@quill.example',
    ]);
  });

  test('names the columns that would be left out, and one press makes fields of them', async () => {
    const { firm, ada } = await ready({
      customFields: [{ on: 'contact', name: 'VIP', type: 'TEXT' }],
    });
    const csv = 'Last name,Notes,Shoe size,VIP,Row\nQuill,Kind,39,yes,7\n';
    const path = await uploadCsv(ada, 'contact', csv);
    const form = await ada.get(path);
    expect(textIn(form.text, '.banner.warn p')).toBe('2 columns are left out: Notes, Shoe size.');
    const preview = await checkRows(ada, path);
    expect(textIn(preview, '.banner.warn p')).toBe('2 columns are left out: Notes, Shoe size.');
    const sent = Object.fromEntries(
      partsIn(preview, 'form[action$="/columns"] input').map((one) => [
        one.getAttribute('name') ?? '',
        one.getAttribute('value') ?? '',
      ]),
    );
    expect((await ada.post(`${path}/columns`, sent)).status).toBe(303);
    const mended = (await ada.get(path)).text;
    expect(mended).not.toContain('left out');
    expect(textIn(mended, '#first-rows tbody tr')).toContain('Kind');
    await bringIn(ada, path);
    const { id } = (await firm.owner.get('/v1/contacts')).body.data[0];
    expect((await firm.owner.get(`/v1/contacts/${id}`)).body.data.customFields).toEqual({
      Notes: 'Kind',
      'Shoe size': '39',
      VIP: 'yes',
    });
  });

  test('shows its first five rows as they would become', async () => {
    const { ada } = await ready({ customFields: [{ on: 'contact', name: 'Born', type: 'DATE' }] });
    const rows = ['Quill, Zoe;03/04/1980', 'Rook;31/31/1980', 'A;', 'B;', 'C;', 'Sixth;'];
    const csv = ['Name;Born', ...rows];
    const path = await uploadCsv(ada, 'contact', csv.join('\n'));
    const preview = await checkRows(ada, path, { dayOrder: 'DMY' });
    const shown = partsIn(preview, '#first-rows tbody tr').map((row) =>
      partsIn(row, 'td').map(({ text }) => text),
    );
    expect(shown).toEqual([
      ['2', 'New', 'Zoe Quill', '3 Apr 1980'],
      ['3', 'Skipped', 'Rook', '31/31/1980'],
      ['4', 'New', 'A', '–'],
      ['5', 'New', 'B', '–'],
      ['6', 'New', 'C', '–'],
    ]);
  });

  test('imported twice makes nothing twice, and neither does a row like an earlier one', async () => {
    const { firm, ada } = await ready();
    const rows = [
      'Name,Email,Phone',
      'Zoe Quill,zoe@quill.example,',
      'ZOE QUILL,Zoe@Quill.example,',
    ];
    rows.push('Zoe Quill,,555 010 0001', 'Zoe Quill,other@quill.example,(555) 010-0001');
    const first = await uploadCsv(ada, 'contact', rows.join('\r\n'));
    expect(saidBy(await checkRows(ada, first))).toEqual({ made: 2, known: 2, refused: 0 });
    expect(saidBy(await bringIn(ada, first))).toEqual({ made: 2, known: 2, refused: 0 });
    const second = await uploadCsv(ada, 'contact', rows.join('\r\n'));
    const preview = await checkRows(ada, second);
    expect(saidBy(preview)).toEqual({ made: 0, known: 4, refused: 0 });
    expect(preview).not.toContain('Import 0 contacts');
    expect((await firm.owner.get('/v1/contacts')).body.pagination.total).toBe(2);
  });

  test('with names in capitals and accents: preview and result agree, also a second time', async () => {
    const { firm, ada } = await ready();
    const rows = ['Name,Email', 'Élodie Müller,em@mail.example', 'ÉLODIE MÜLLER,EM@mail.example'];
    rows.push('E\u0301lodie Müller,em@mail.example', 'Elodie Muller,em@mail.example');
    const first = await uploadCsv(ada, 'contact', rows.join('\n'));
    expect(saidBy(await checkRows(ada, first))).toEqual({ made: 2, known: 2, refused: 0 });
    expect(saidBy(await bringIn(ada, first))).toEqual({ made: 2, known: 2, refused: 0 });
    const second = await uploadCsv(ada, 'contact', 'Name,Email\nélodie müller,em@mail.example');
    expect(saidBy(await checkRows(ada, second))).toEqual({ made: 0, known: 1, refused: 0 });
    expect((await firm.owner.get('/v1/contacts')).body.pagination.total).toBe(2);
  });

  test('says which rows cannot be compared: those with a known name and nothing else', async () => {
    const { ada } = await ready();
    const csv = 'Name,Email\nZoe Quill,\nAdam Moss,adam@moss.example\nIda Rook,';
    const first = await uploadCsv(ada, 'contact', csv);
    const alone = await checkRows(ada, first);
    expect(alone).not.toContain('cannot be compared');
    await bringIn(ada, first);
    const again = await checkRows(ada, await uploadCsv(ada, 'contact', csv));
    expect(saidBy(again)).toEqual({ made: 2, known: 1, refused: 0 });
    expect(again).toContain('2 rows have the name of a contact that exists');
    expect(again).toContain('cannot be compared');
  });

  test.each([
    [
      'UTF-8 with a mark',
      new Uint8Array([0xef, 0xbb, 0xbf, ...Buffer.from('Last name;Email\nMüller;a@b.example')]),
    ],
    [
      'UTF-16',
      new Uint8Array([
        0xff,
        0xfe,
        ...Buffer.from('Last name\tEmail\nMüller\ta@b.example', 'utf16le'),
      ]),
    ],
    ['Windows-1252', new Uint8Array(Buffer.from('Last name|Email\nMüller|a@b.example', 'latin1'))],
  ])('in %s is read', async (_, bytes) => {
    const { firm, ada } = await ready();
    const path = await uploadCsv(ada, 'contact', bytes);
    await checkRows(ada, path);
    await bringIn(ada, path);
    const { data } = (await firm.owner.get('/v1/contacts')).body;
    expect(data[0]).toMatchObject({ name: 'Müller', emails: [{ address: 'a@b.example' }] });
  });

  test('fills custom fields of every kind, by the order of days that is chosen', async () => {
    const { firm, ada } = await ready({
      customFields: [
        { on: 'contact', name: 'Born', type: 'DATE' },
        { on: 'contact', name: 'Fee', type: 'CURRENCY' },
        { on: 'contact', name: 'VIP', type: 'CHECKBOX' },
        { on: 'contact', name: 'Channel', type: 'SELECT', options: ['Web', 'Friend'] },
        { on: 'contact', name: 'Tags', type: 'MULTI_SELECT', options: ['A', 'B'] },
      ],
    });
    const csv =
      'Last name,Born,Fee,VIP,Channel,Tags\nQuill,03/04/1980,"$1,200.50",yes,web,A;B\nRook,31/31/1980,many,perhaps,Radio,C';
    const path = await uploadCsv(ada, 'contact', csv);
    const american = await checkRows(ada, path, { dayOrder: 'MDY' });
    expect(saidBy(american)).toEqual({ made: 1, known: 0, refused: 1 });
    await checkRows(ada, path, { dayOrder: 'DMY' });
    await bringIn(ada, path);
    const { id } = (await firm.owner.get('/v1/contacts')).body.data[0];
    expect((await firm.owner.get(`/v1/contacts/${id}`)).body.data.customFields).toEqual({
      Born: '1980-04-03',
      Fee: 1200.5,
      VIP: true,
      Channel: 'Web',
      Tags: ['A', 'B'],
    });
  });

  test('gives its refused rows as a file that can be corrected and imported again', async () => {
    const { firm, ada } = await ready();
    const path = await uploadCsv(ada, 'contact', 'Last name,Phone\nQuill,+1 555\n,"=1+1"\n');
    await checkRows(ada, path);
    await bringIn(ada, path);
    const file = await ada.get(`${path}/refused`);
    expect(file.text.replace('\ufeff', '')).toBe(
      "Last name,Phone,Row,Why it was skipped\n,'=1+1,3,Last name or first name is needed.\n",
    );
    const mended = await uploadCsv(ada, 'contact', file.text.replace('\n,', '\nRook,'));
    expect(saidBy(await checkRows(ada, mended))).toEqual({ made: 1, known: 0, refused: 0 });
    await bringIn(ada, mended);
    const { data } = (await firm.owner.get('/v1/contacts')).body;
    expect(data[0]).toMatchObject({ name: 'Rook', phones: [{ number: '=1+1' }] });
  });

  test('is undone: what nobody touched goes, the rest stays and is listed', async () => {
    const { firm, ada } = await ready();
    const path = await uploadCsv(ada, 'contact', 'Last name\nQuill\nRook\nMoss\n');
    await checkRows(ada, path);
    await bringIn(ada, path);
    const { data } = (await firm.owner.get('/v1/contacts')).body;
    const idOf = (name: string) => data.find((one: { name: string }) => one.name === name).id;
    await firm.owner.patch(`/v1/contacts/${idOf('Quill')}`, { nickname: 'Q' });
    await firm.owner.post('/v1/matters', {
      practiceAreaId: firm.practiceAreas.Family?.id,
      openDate: '2026-01-01',
      clientContactIds: [idOf('Rook')],
    });
    expect((await ada.post(`${path}/undo`)).status).toBe(303);
    const page = await untilSaid(ada, path, 'Undone.');
    expect(page).toContain('Not deleted: changed since the import');
    expect(page).toContain(`href="/contacts/${idOf('Quill')}"`);
    expect(page).toContain(`href="/contacts/${idOf('Rook')}"`);
    expect(page).not.toContain(`href="/contacts/${idOf('Moss')}"`);
    expect((await firm.owner.get('/v1/contacts')).body.pagination.total).toBe(2);
    expect((await ada.post(`${path}/undo`)).status).toBe(422);
  });

  test('that is no CSV, too long or empty is refused in words', async () => {
    const { ada } = await ready();
    const send = (content: string | Uint8Array<ArrayBuffer>) =>
      ada.upload(
        '/settings/imports',
        { kind: 'contact', do: 'bring' },
        new File([content], 'x.csv'),
      );
    for (const [content, words] of [
      ['', 'The file is empty.'],
      ['Last name\n', 'has no rows'],
      ['Last name\n"Quill', 'quotation mark'],
      [new Uint8Array([0x50, 0x4b, 3, 4, 0, 0, 1, 2, 0, 7]), 'not a CSV file'],
      [`Last name\n${'Q\n'.repeat(20_001)}`, 'more than 20,000 rows'],
    ] as const) {
      const { status, text } = await send(content);
      expect([status, text.includes(words) ? words : text.slice(0, 200)]).toEqual([422, words]);
    }
    expect((await ada.get('/settings/imports')).text).toContain('There are no imports yet');
  });

  test('asks for the permission, and for that of its records; another firm’s is not there', async () => {
    const { firm, ada } = await ready({
      roles: [
        { name: 'Attorney', permissions: ['contacts:read', 'data:import'] },
        { name: 'Bookkeeper', permissions: ['contacts:write'] },
      ],
    });
    const path = await uploadCsv(ada, 'contact', 'Last name\nQuill\n');
    const ben = await visitorOf(server, firm, attorney);
    const cy = await visitorOf(server, firm, bookkeeper);
    expect((await cy.get(path)).status).toBe(403);
    expect((await ben.get(path)).status).toBe(200);
    expect((await ben.post(`${path}/columns`, await formOf(ada, path))).status).toBe(403);
    await checkRows(ada, path);
    expect((await ben.post(`${path}/begin`)).status).toBe(403);
    const other = await ready();
    for (const [method, at] of [
      ['get', path],
      ['get', `${path}/refused`],
      ['post', `${path}/begin`],
      ['post', `${path}/drop`],
      ['post', `${path}/undo`],
    ] as const) {
      expect((await other.ada[method](at)).status).toBe(404);
    }
    expect((await ada.post(`${path}/drop`)).location).toBe('/settings/imports');
    expect((await ada.get(path)).status).toBe(404);
  });
});
