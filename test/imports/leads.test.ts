/** A file of leads; a preview that keeps its word; and an import that outlives its server. */
import { describe, expect, test } from 'bun:test';
import fc from 'fast-check';
import { attorney, makeFirm, owner, startTestServer } from '../support/firm.ts';
import { attributesIn, namesIn, partsIn, textIn, textsIn } from '../support/html.ts';
import { bringIn, checkRows, refusedIn, saidBy, untilSaid, uploadCsv } from '../support/imports.ts';
import { type Visitor, visitorOf } from '../support/visitor.ts';

const server = await startTestServer();

const ready = async (parts = {}) => {
  const firm = await makeFirm(server, parts);
  return { firm, ada: await visitorOf(server, firm, owner) };
};

/** The address of an import whose rows are checked. */
const checked = async (visitor: Visitor, lines: string[]) => {
  const path = await uploadCsv(visitor, 'lead', lines.join('\n'));
  await checkRows(visitor, path);
  return path;
};

describe('A file of leads', () => {
  test('makes leads with their contacts, numbered by us, and tells nobody', async () => {
    const { firm, ada } = await ready();
    const csv = [
      'First name,Last name,Email,Practice area,Stage,Value',
      'Zoe,Quill,zoe@quill.example,family,Contacted,high',
      'Adam,Moss,adam@moss.example,Tax,New,low',
      'Eve,Rook,eve@rook.example,,,enormous',
      'Kit,Lane,,,,',
    ].join('\n');
    const path = await uploadCsv(ada, 'lead', csv);
    const preview = await checkRows(ada, path);
    expect(saidBy(preview)).toEqual({ made: 2, known: 0, refused: 2 });
    expect(refusedIn(preview).map(([row]) => row)).toEqual(['3', '4']);
    const result = await bringIn(ada, path);
    expect(saidBy(result)).toEqual(saidBy(preview));
    const { data } = (await firm.owner.get('/v1/leads')).body;
    expect(data).toMatchObject([
      { publicId: 'L-0002', contact: { name: 'Kit Lane' }, status: 'ACTIVE', value: null },
      { publicId: 'L-0001', contact: { name: 'Zoe Quill' }, value: 'HIGH' },
    ]);
    expect(data[1].leadStageColumnId).toBe(firm.leadStages.Contacted);
    const jobs = await firm.command<unknown[]>(['notifications', '--json']).catch(() => []);
    expect(JSON.stringify(jobs)).not.toContain('lead.new');
    const again = await uploadCsv(ada, 'lead', csv);
    expect(saidBy(await checkRows(ada, again))).toEqual({ made: 1, known: 1, refused: 2 });
    expect((await ada.post(`${path}/undo`)).status).toBe(303);
    await untilSaid(ada, path, 'Undone.');
    expect((await firm.owner.get('/v1/leads')).body.pagination.total).toBe(0);
    expect((await firm.owner.get('/v1/contacts')).body.pagination.total).toBe(0);
  });

  test('assigns leads to members by name or email, and tells them nothing', async () => {
    const { firm, ada } = await ready();
    const ben = await visitorOf(server, firm, attorney);
    const csv = [
      'Last name,Email,Assigned to',
      `Quill,zoe@quill.example,BEN LANE; ${owner}`,
      'Moss,adam@moss.example,Nobody Here',
      'Rook,eve@rook.example,',
    ].join('\n');
    const path = await uploadCsv(ada, 'lead', csv);
    const preview = await checkRows(ada, path);
    expect(saidBy(preview)).toEqual({ made: 2, known: 0, refused: 1 });
    expect(refusedIn(preview)).toEqual([
      [
        '3',
        'Assigned is not an active member of the firm: correct it or leave it empty. The file has “Nobody Here”.',
      ],
    ]);
    expect(textIn(preview, '#first-rows tbody tr')).toContain('Ben Lane, Ada Harrow');
    await bringIn(ada, path);
    const { text } = await ben.get('/leads?view=list&assignee=me');
    expect(text).toContain('Quill');
    expect(text).not.toContain('Rook');
    expect((await ben.get('/inbox')).text).not.toContain('Quill');
  });

  test('says of each row what is wrong with what, and shows a next step as the day that it becomes', async () => {
    const { firm, ada } = await ready();
    const options = ['Website', 'Referral'];
    const field = {
      name: 'Heard of us',
      appliesTo: 'LEAD',
      type: 'SELECT',
      options: options.join('\n'),
    };
    expect((await ada.post('/settings/fields', { do: 'new-field', ...field })).status).toBe(303);
    const csv = [
      'Last name;Email;Next step;Heard of us',
      'Quill;zoe@quill.example;03.11.2026;website',
      'Moss;moss@@example;04.11.2026 9:30;Referral',
      'Rook;;31.02.2026;Referral',
      'Teal;;;From a friend',
    ].join('\n');
    const path = await uploadCsv(ada, 'lead', csv);
    const preview = await checkRows(ada, path);
    expect(refusedIn(preview)).toEqual([
      [
        '3',
        'Email must be an email address, for example ada@harrow.example. The file has “moss@@example”.',
      ],
      ['4', 'Next step must be a day that exists. The file has “31.02.2026”.'],
      [
        '5',
        'Heard of us must be one of the choices. The file has “From a friend”. The choices are Website, Referral.',
      ],
    ]);
    expect(textIn(preview, '#first-rows tbody tr')).toContain('Tue 3 Nov');
    await bringIn(ada, path);
    expect((await firm.owner.get('/v1/leads')).body.pagination.total).toBe(1);
  });

  test('keeps what a lead is about as its first note, within the limit of the form, once', async () => {
    const { firm, ada } = await ready();
    const csv = [
      'Last name,Email,What is it about?',
      'Quill,zoe@quill.example,"Fell on ice; a wrist',
      'is broken | 5 March"',
      `Moss,adam@moss.example,${'x'.repeat(10_001)}`,
      'Rook,eve@rook.example,',
    ].join('\n');
    const path = await uploadCsv(ada, 'lead', csv);
    expect((await ada.get(path)).text).not.toContain('left out');
    const preview = await checkRows(ada, path);
    expect(saidBy(preview)).toEqual({ made: 2, known: 0, refused: 1 });
    const [[row, why] = []] = refusedIn(preview);
    expect(row).toBe('3');
    expect(why).toStartWith('First note must have at most 10,000 characters.');
    const said = 'Fell on ice; a wrist is broken | 5 March';
    expect(textsIn(preview, '#first-rows thead th')).toContain('First note');
    expect(textsIn(preview, '#first-rows tbody td')).toContain(said);
    expect((await firm.owner.get('/v1/leads')).body.pagination.total).toBe(0);
    await bringIn(ada, path);
    const { data } = (await firm.owner.get('/v1/leads')).body;
    const [rook, quill] = data.map(({ id }: { id: string }) => `/leads/${id}`);
    const notesOf = async (at: string) => textsIn((await ada.get(at)).text, '.note .as-written');
    expect(await notesOf(quill)).toEqual([said]);
    expect(await notesOf(rook)).toEqual([]);
    // What came with the file is nobody's response.
    expect(namesIn((await ada.get('/leads?view=list&touched=no')).text)).toHaveLength(2);

    const again = await uploadCsv(ada, 'lead', csv);
    expect(saidBy(await checkRows(ada, again))).toEqual({ made: 0, known: 2, refused: 1 });
    expect(await notesOf(quill)).toEqual([said]);

    expect((await ada.post(`${rook}/notes`, { text: 'Called back' })).status).toBe(303);
    // Nobody has changed what was put back.
    const id = data.map((one: { id: string }) => one.id);
    const all = { do: 'all-status:ARCHIVE', id };
    const bulk = await ada.post('/leads?view=list', all, { 'x-sent-by': 'page' });
    expect((await ada.post(JSON.parse(bulk.text).said.undo.action)).status).toBe(303);
    expect((await ada.post(`${path}/undo`)).status).toBe(303);
    await untilSaid(ada, path, 'Undone.');
    const left = (await firm.owner.get('/v1/leads')).body.data;
    expect(left.map(({ id }: { id: string }) => `/leads/${id}`)).toEqual([rook]);
  });

  test('takes the email addresses that the form takes, and no others; a program may send any text', async () => {
    const { firm, ada } = await ready();
    const texts = ['a@post', 'ada@harrow.example', 'moss@@x', '@x', 'x', 'a b@x.example', 'x@'];
    const path = await checked(ada, ['Last name,Email', ...texts.map((text) => `Quill,${text}`)]);
    const refused = refusedIn((await ada.get(path)).text).map(([row]) => texts[Number(row) - 2]);
    for (const [at, email] of texts.entries()) {
      // Nobody is known: the form would ask.
      const { status } = await ada.post('/leads/new', { lastName: `Rook${'abcdefg'[at]}`, email });
      expect([email, status]).toEqual([email, refused.includes(email) ? 422 : 303]);
    }
    for (const email of texts) {
      const sent = await firm.owner.post('/v1/leads', { lastName: 'Quill', email });
      expect([email, sent.status]).toEqual([email, 201]);
    }
    expect(refused).toEqual(['moss@@x', '@x', 'x', 'a b@x.example', 'x@']);
  });

  test('of somebody who is known says which record they have, and what to do with their new question', async () => {
    const { firm, ada } = await ready({
      roles: [{ name: 'Importer', permissions: ['data:import', 'leads:read', 'leads:write'] }],
      members: [
        { email: owner, name: 'Ada Harrow', role: 'Owner' },
        { email: 'imp@harrow.example', name: 'Imp Rook', role: 'Importer' },
      ],
    });
    const people = [
      'Last name,Email,What is it about?',
      'Quill,zoe@quill.example,A fall',
      'Moss,adam@moss.example,A will',
    ];
    await bringIn(ada, await checked(ada, people));
    const { data } = (await firm.owner.get('/v1/leads')).body;
    const [moss, quill] = data as { id: string; publicId: string }[];
    const page = (await ada.get(`/leads/${quill?.id}?do=hire`)).text;
    const hire = { title: 'Quill', practiceAreaId: firm.practiceAreas.Family?.id ?? '' };
    expect(page).toContain('Hire');
    const hired = await ada.post(`/leads/${quill?.id}/hire`, { ...hire, openDate: '2026-03-03' });
    expect([hired.status, hired.location]).toEqual([303, expect.stringMatching(/^\/matters\//)]);
    const number = (await firm.owner.get('/v1/matters')).body.data[0].publicId;
    const path = await checked(ada, [
      ...people,
      'Rook,not-an-email,A fence',
      'Teal,tea@teal.example,A boat',
      'Teal,tea@teal.example,A second boat',
    ]);
    const say = async () => {
      const { text } = await ada.get(path);
      expect(saidBy(text)).toEqual({ made: 1, known: 3, refused: 1 });
      const [same = ''] = partsIn(text, '#same');
      expect(attributesIn(same, 'a', 'href')).toEqual([
        `/leads/${quill?.id}`,
        hired.location ?? '',
        `/leads/${moss?.id}`,
      ]);
      expect(textIn(same, 'p')).toBe(
        'The same name, and the same email or phone. An import changes no record. Add what is new to the lead as a note, or create a lead by hand.',
      );
      expect(textsIn(same, 'li')).toEqual([
        `Row 2L-0001 QuillHired, as matter ${number}. Add what is new to the matter as a note, or create a lead by hand.`,
        'Row 3L-0002 Moss',
        'Row 6An earlier row of the file',
      ]);
    };
    await say();
    await bringIn(ada, path);
    await say();
    const file = (await ada.get(`${path}/refused`)).text
      .replace('\uFEFF', '')
      .trim()
      .split(/\r?\n/);
    const [head, ...rows] = file;
    expect(head).toBe('Last name,Email,What is it about?,Row,Why it was skipped');
    expect(rows).toEqual([
      `Quill,zoe@quill.example,A fall,2,"Exists already: lead L-0001 Quill. Hired, as matter ${number}. Add what is new to the matter as a note, or create a lead by hand."`,
      'Moss,adam@moss.example,A will,3,"Exists already: lead L-0002 Moss. Add what is new to the lead as a note, or create a lead by hand."',
      expect.stringMatching(/^Rook,not-an-email,A fence,4,.*email address/),
      'Teal,tea@teal.example,A second boat,6,Exists already: an earlier row of the file.',
    ]);
    // Imported again, the file makes nothing twice.
    const again = await checked(ada, file);
    expect(saidBy((await ada.get(again)).text)).toEqual({ made: 0, known: 3, refused: 1 });
    // Who does not read matters learns nothing of them.
    const imp = await visitorOf(server, firm, 'imp@harrow.example');
    for (const at of [path, `${path}/refused`]) {
      const { status, text } = await imp.get(at);
      expect([status, text.includes('L-0001'), text.includes(number)]).toEqual([200, true, false]);
      expect(text).not.toContain('/matters/');
    }
    const known = await checked(ada, people);
    // What was deleted since is no row of the file.
    expect((await firm.owner.delete(`/v1/leads/${moss?.id}`)).status).toBe(200);
    const gone = 'a lead that was deleted, or that you may not see';
    const [same = ''] = partsIn((await ada.get(known)).text, '#same');
    expect(textsIn(same, 'li').at(-1)).toBe(`Row 3${gone.replace('a', 'A')}`);
    const { text: later } = await ada.get(`${known}/refused`);
    expect(later).toContain(`Exists already: ${gone}.`);
    expect(later).not.toContain('earlier row');
    // With nothing refused, the rows can be downloaded, too.
    expect(textsIn(same, 'a[download]')).toEqual(['Download skipped rows']);
  });

  test('with German columns fills the fields that they name', async () => {
    const { firm, ada } = await ready();
    const csv = [
      'Anrede;Vorname;Name;Firma;E-Mail;Telefon (privat);Rechtsgebiet;Wiedervorlage;Notiz;Straße;PLZ;Ort',
      'Frau;Zoë;Quill;Quill GmbH;zoe@quill.example;+49 30 1234567;Family;03.11.2026;Sturz auf Eis;Am Markt 1;10115;Berlin',
    ].join('\n');
    const path = await uploadCsv(ada, 'lead', csv);
    const preview = await checkRows(ada, path);
    expect(saidBy(preview)).toEqual({ made: 1, known: 0, refused: 0 });
    expect(textIn(preview, '.banner.warn p')).toBe('3 columns are left out: Straße, PLZ, Ort.');
    const line = textIn(preview, '#first-rows tbody tr');
    for (const part of ['Zoë Quill', 'Quill GmbH', '+49 30 1234567', 'Tue 3 Nov', 'Sturz']) {
      expect(line).toContain(part);
    }
    await bringIn(ada, path);
    expect((await firm.owner.get('/v1/leads')).body.data).toMatchObject([
      { contact: { name: 'Zoë Quill' }, practiceArea: { name: 'Family' } },
    ]);
  });

  test('of a website’s form have the message as their first note', async () => {
    const { ada } = await ready();
    for (const head of ['Nachricht', 'Ihre Nachricht', 'Ihr Anliegen', 'Message']) {
      const path = await uploadCsv(ada, 'lead', `Nachname;${head}\nQuill;Frist läuft\n`);
      const preview = await checkRows(ada, path);
      const heads = textsIn(preview, '#first-rows thead th');
      expect([head, heads.at(-1)]).toEqual([head, 'First note']);
    }
  });

  test('is refused while leads have no numbers', async () => {
    const { ada } = await ready({ numbering: {} });
    const path = await uploadCsv(ada, 'lead', 'Last name\nQuill\n');
    const { status, text } = await ada.post(`${path}/columns`, {
      separator: ',',
      dayOrder: 'DMY',
      'column.0': 'lastName',
    });
    expect(status).toBe(422);
    expect(text).toContain('no lead numbering');
  });

  test('passes the numbers that another format has taken', async () => {
    const { firm, ada } = await ready({ numbering: { lead: 'L-{#}', matter: 'M-{#}' } });
    for (const format of ['X-{##}', 'L-{##}']) {
      await ada.post('/settings/numbering', { lead: format, matter: 'M-{#}' });
      await firm.owner.post('/v1/leads', { lastName: format });
    }
    const taken = (await firm.owner.get('/v1/leads')).body.data;
    const path = await uploadCsv(ada, 'lead', 'Last name\nQuill\nRook\nMoss\n');
    await checkRows(ada, path);
    expect(saidBy(await bringIn(ada, path)).made).toBe(3);
    const { data } = (await firm.owner.get('/v1/leads')).body;
    const numbers = data.map(({ publicId }: { publicId: string }) => publicId);
    expect(new Set(numbers).size).toBe(taken.length + 3);
  });
});

test('whatever is in the rows, the preview is the result', async () => {
  const { ada } = await ready({
    customFields: [
      { on: 'contact', name: 'Born', type: 'DATE' },
      { on: 'contact', name: 'Channel', type: 'SELECT', options: ['Web', 'Friend'] },
    ],
  });
  const cell = fc.oneof(
    fc.constantFrom('', 'Zoe', 'ZOE', 'zoé', 'a@b.example', 'A@b.example', '555 010 0001'),
    fc.constantFrom('Web', 'web', '1/2/2020', '2020-02-30', '=1+1', "O'Neil", 'Company', '\u202e'),
    fc.string({ unit: 'binary', maxLength: 140 }).map((text) => text.replaceAll('\0', '')),
  );
  const rows = fc.array(fc.array(cell, { minLength: 7, maxLength: 7 }), {
    minLength: 1,
    maxLength: 30,
  });
  const quoted = (text: string) => `"${text.toWellFormed().replaceAll('"', '""')}"`;
  await fc.assert(
    fc.asyncProperty(rows, async (all) => {
      const heads = 'Type,First name,Last name,Email,Phone,Born,Channel';
      const csv = [heads, ...all.map((row) => row.map(quoted).join(','))].join('\n');
      if (all.every((row) => row.every((one) => one.trim() === ''))) return;
      const path = await uploadCsv(ada, 'contact', csv);
      const preview = await checkRows(ada, path);
      if (saidBy(preview).made === 0) return;
      const result = await bringIn(ada, path);
      expect(saidBy(result)).toEqual(saidBy(preview));
      expect(refusedIn(result)).toEqual(refusedIn(preview));
    }),
    { numRuns: 8 },
  );
});

test('a server that is stopped on the way leaves a commit, and another goes on: each row once', async () => {
  const { firm, ada } = await ready();
  const many = Array.from({ length: 1_500 }, (_, at) => `Person ${at},p${at}@x.example`);
  const path = await uploadCsv(ada, 'contact', ['Last name,Email', ...many].join('\n'));
  await checkRows(ada, path);
  const first = await startTestServer({ databaseUrl: server.databaseUrl });
  const there = await visitorOf(first, firm, owner);
  expect((await there.post(`${path}/begin`)).status).toBe(303);
  expect((await there.post(`${path}/begin`)).status).toBe(303);
  await first.stop();
  const result = await untilSaid(ada, path, 'Imported.');
  expect(saidBy(result)).toEqual({ made: 1_500, known: 0, refused: 0 });
  expect((await firm.owner.get('/v1/contacts')).body.pagination.total).toBe(1_500);
});
