import { beforeEach, describe, expect, test } from 'bun:test';
import { connect } from '../support/database.ts';
import { expectRefusal } from '../support/expectations.ts';
import {
  attorney,
  bookkeeper,
  type Caller,
  caller,
  type Firm,
  makeFirm,
  startTestServer,
} from '../support/firm.ts';

const server = await startTestServer();

let firm: Firm;
beforeEach(async () => {
  firm = await makeFirm(server);
});

type Body = Record<string, unknown>;

const searchFor = (q: string, by: Caller = firm.owner, page = '') =>
  by.get(`/v1/search?q=${encodeURIComponent(q)}${page}`);

/** What a search finds, each as `TYPE title`, in the order found. */
const found = async (q: string, by: Caller = firm.owner): Promise<string[]> => {
  const { status, body } = await searchFor(q, by);
  expect(status).toBe(200);
  expect(body.pagination.total).toBe(body.data.length);
  return body.data.map(({ type, title }: { type: string; title: string }) => `${type} ${title}`);
};

const made = async (path: string, body: Body, by: Caller = firm.owner) => {
  const answer = await by.post(path, body);
  expect(answer.status).toBe(201);
  return answer.body.data;
};

const contact = (body: Body) => made('/v1/contacts', body);
const lead = (body: Body, by?: Caller) => made('/v1/leads', body, by);
const matter = (body: Body) =>
  made('/v1/matters', {
    practiceAreaId: firm.practiceAreas.Family?.id,
    openDate: '2026-02-03',
    ...body,
  });

describe('GET /v1/search answers the list envelope with entries { type, id, publicId, title, matched }', () => {
  test('a contact, with publicId null', async () => {
    const { id } = await contact({ firstName: 'Zoe', lastName: 'Quill' });
    const { status, body } = await searchFor('quill');
    expect(status).toBe(200);
    expect(body).toEqual({
      data: [{ type: 'CONTACT', id, publicId: null, title: 'Zoe Quill', matched: 'name' }],
      pagination: { limit: 20, offset: 0, total: 1 },
    });
  });

  test('a matter and a lead, with their numbers', async () => {
    const reed = await lead({ firstName: 'Ann', lastName: 'Reed' });
    const estate = await matter({ title: 'Estate of Reed' });
    // A lead and its contact are made at the same moment: either may stand first.
    const found = (await searchFor('reed')).body.data as { type: string }[];
    const byType = (a: { type: string }, b: { type: string }) => a.type.localeCompare(b.type);
    expect(found.map(({ type }) => type)[0]).toBe('MATTER');
    expect(found.toSorted(byType)).toEqual(
      [
        {
          type: 'MATTER',
          id: estate.id,
          publicId: estate.publicId,
          title: 'Estate of Reed',
          matched: 'title',
        },
        ...[
          { type: 'LEAD', id: reed.id, publicId: 'L-0001', title: 'Ann Reed', matched: 'name' },
          {
            type: 'CONTACT',
            id: reed.contact.id,
            publicId: null,
            title: 'Ann Reed',
            matched: 'name',
          },
        ],
      ].toSorted(byType),
    );
  });

  test('matched says which field it was found by', async () => {
    const hopper = await contact({
      type: 'COMPANY',
      companyName: 'Hopper Mills',
      tradeName: 'Flourish',
      companyType: 'LLC',
      emails: ['desk@granary.example'],
      phones: ['+1 (555) 0100'],
    });
    await contact({ firstName: 'Robert', lastName: 'Vance', nickname: 'Bobby' });
    await matter({ title: 'Lease', clientContactIds: [hopper.id] });
    const matchedBy = async (q: string) =>
      (await searchFor(q)).body.data.map(({ type, matched }: Body) => [type, matched]);
    const client = ['MATTER', 'client'];
    expect(await matchedBy('hopper')).toEqual([client, ['CONTACT', 'companyName']]);
    expect(await matchedBy('flourish')).toEqual([client, ['CONTACT', 'tradeName']]);
    expect(await matchedBy('llc')).toEqual([client, ['CONTACT', 'companyType']]);
    expect(await matchedBy('granary')).toEqual([client, ['CONTACT', 'email']]);
    expect(await matchedBy('5550100')).toEqual([client, ['CONTACT', 'phone']]);
    expect(await matchedBy('bobby')).toEqual([['CONTACT', 'nickname']]);
    expect(await matchedBy('lease')).toEqual([['MATTER', 'title']]);
    expect(await matchedBy(`M-${new Date().getUTCFullYear()}`)).toEqual([['MATTER', 'number']]);
  });
});

describe('A record is found', () => {
  test('by words and parts of words of its names, with every word required', async () => {
    await contact({ firstName: 'Josephine', middleName: 'Mary', lastName: 'Rutherford' });
    for (const q of [
      'josephine',
      'JOSEPH',
      'sephin',
      'ruther',
      'erford',
      'mary rutherford',
      'rutherford josephine',
    ]) {
      expect(await found(q)).toEqual(['CONTACT Josephine Mary Rutherford']);
    }
    for (const q of ['josephine quill', 'rutherford x', 'rutherfordjosephine']) {
      expect(await found(q)).toEqual([]);
    }
  });

  test('by one or two letters at the beginning of a word only', async () => {
    await contact({ lastName: 'Quill' });
    expect(await found('q')).toEqual(['CONTACT Quill']);
    expect(await found('qu')).toEqual(['CONTACT Quill']);
    expect(await found('ui')).toEqual([]);
  });

  test('by words longer than any language has, even if they take long to compare', async () => {
    const ligatures = '㍿'.repeat(255);
    const digits = '1234567890'.repeat(12);
    await matter({ title: ligatures });
    await contact({ lastName: `${'x'.repeat(128)}`, phones: Array(20).fill(digits) });
    for (const q of [ligatures.slice(0, 200), '㍿'.repeat(3), '株式会社株'])
      expect(await found(q)).toEqual([`MATTER ${ligatures}`]);
    for (const q of ['x'.repeat(128), 'x'.repeat(127), 'xxx', digits, digits.slice(3, 90)])
      expect(await found(q)).toEqual([`CONTACT ${'x'.repeat(128)}`]);
    for (const q of ['x'.repeat(129), `${digits}1`]) expect(await found(q)).toEqual([]);
  });

  test('by more words than anyone types', async () => {
    const words = ['one', 'two', 'three', 'four', 'five', 'six', 'seven', 'eight', 'nine', 'ten'];
    await matter({ title: words.join(' ') });
    expect(await found(words.join(' '))).toHaveLength(1);
    expect(await found([...words.slice(0, 9), 'eleven'].join(' '))).toEqual([]);
  });

  test('by its phone, digits in any grouping', async () => {
    await contact({ lastName: 'Quill', phones: ['+1 555 0100'] });
    await contact({ lastName: 'Reed', phones: ['+1 555 0199'] });
    for (const q of [
      '555-0100',
      '(555) 0100',
      '5550100',
      '+1 555 0100',
      '+1 (555) 01-00',
      '0100',
      'quill 555 0100',
      '155 50100',
      '1 5 5 5 0 1 0 0',
      '15-55 01-0',
      '55 50 100',
    ]) {
      expect([q, await found(q)]).toEqual([q, ['CONTACT Quill']]);
    }
    for (const q of ['reed 555 0100', '555 0101', '0 100 555', '5 5 5 5'])
      expect([q, await found(q)]).toEqual([q, []]);
  });

  test('by its number, with and without zeros in front, digits in any grouping', async () => {
    const sql = connect(server.databaseUrl);
    await sql`update register set last_number = 11 where firm_id = ${firm.id}`;
    await sql.end();
    for (const lastName of ['Quill', 'Reed']) await lead({ lastName });
    const { publicId } = await matter({ title: 'Divorce' });
    const year = String(new Date().getUTCFullYear());
    expect(publicId).toBe(`M-${year}-0012`);
    for (const q of ['L-0012', 'L-12', 'l12', 'L 12', 'l0012', 'quill 12', 'l-012 quill'])
      expect([q, await found(q)]).toEqual([q, ['LEAD Quill']]);
    const numbers = [`M-${year}-12`, publicId, `${year} 0012`, `${year}0012`, `${year}-00`];
    for (const q of [...numbers, `m ${year.slice(0, 2)} ${year.slice(2)}`])
      expect([q, await found(q)]).toEqual([q, ['MATTER Divorce']]);
    expect((await found('12')).sort()).toEqual(['LEAD Quill', 'MATTER Divorce']);
    expect(await found('L-13')).toEqual(['LEAD Reed']);
    for (const q of ['M-13', 'l-11', 'L-00012', 'l-12 reed'])
      expect([q, await found(q)]).toEqual([q, []]);
  });

  test('by letters and digits of one word, together and apart', async () => {
    await matter({ title: 'Case 4711b of route66ers' });
    for (const q of ['4711b', '4711', '4711 b', 'route66', 'route 66', '66ers', 'oute66er'])
      expect([q, await found(q)]).toEqual([q, ['MATTER Case 4711b of route66ers']]);
    for (const q of ['4711c', 'route67', 'outer66']) expect([q, await found(q)]).toEqual([q, []]);
  });

  test('by its email, in whole and in part', async () => {
    await contact({ lastName: 'Reed', emails: ['jo.quill@granary.example'] });
    for (const q of ['jo.quill@granary.example', 'granary', '@granary.ex', 'QUILL@GRANARY']) {
      expect(await found(q)).toEqual(['CONTACT Reed']);
    }
  });

  test.each([
    ['Öl', 'ol'],
    ['Ol', 'ÖL'],
    ['Ąćki', 'acki'],
    ['José', 'jose'],
    ['Jose', 'JOSÉ'],
    ['Straße', 'strasse'],
    ['Strasse', 'straße'],
    ['Łukasz', 'lukasz'],
    ['Søren', 'soren'],
  ])('without regard to case or accents: %s by %s', async (lastName, q) => {
    await contact({ lastName });
    expect(await found(q)).toEqual([`CONTACT ${lastName}`]);
  });

  test('a lead, by its contact’s details, by its number and by both', async () => {
    const quill = {
      firstName: 'Zoe',
      lastName: 'Quill',
      email: 'zq@granary.example',
      phone: '555 0100',
    };
    await lead(quill);
    await lead({ lastName: 'Reed' });
    for (const q of ['quill', 'granary', '555-0100']) {
      expect(await found(q)).toContain('LEAD Zoe Quill');
      expect(await found(q)).not.toContain('LEAD Reed');
    }
    for (const q of ['L-0001', '0001', 'l 0001', 'L-0001 Zoe Quill', 'quill 0001']) {
      expect(await found(q)).toEqual(['LEAD Zoe Quill']);
    }
    expect(await found('L-0002 Quill')).toEqual([]);
  });

  test('a matter, by number, title, its clients’ names, and by all of them', async () => {
    const [quill, reed] = await Promise.all([
      contact({ lastName: 'Quill' }),
      contact({ lastName: 'Reed' }),
    ]);
    const { publicId } = await matter({
      title: 'Harbour lease',
      clientContactIds: [quill.id, reed.id],
    });
    await matter({ title: 'Divorce' });
    for (const q of [publicId, 'harbour', 'lease harb', 'quill', 'reed']) {
      expect(await found(q)).toContain('MATTER Harbour lease');
      expect(await found(q)).not.toContain('MATTER Divorce');
    }
    for (const q of ['quill lease', 'reed quill harbour', `${publicId} quill`, 'quill reed']) {
      expect(await found(q)).toEqual(['MATTER Harbour lease']);
    }
    expect(await found('divorce quill')).toEqual([]);
  });

  test.each(['%', '_', '%%', '\\', "'", '"', '{}', '-', '(.*)', '😀'])(
    'by nothing where q is %s: there is nothing searchable in it',
    async (q) => {
      await contact({ lastName: '100%_\\ sure' });
      expect(await found(q)).toEqual([]);
    },
  );

  test('by wildcards taken literally: they are no letters', async () => {
    await contact({ lastName: 'Quill' });
    for (const q of ['q%l', 'q_ill', 'qu\\ill', 'qui__']) {
      expect(await found(`${q} zzz`)).toEqual([]);
      expect(await found('q%zz')).toEqual([]);
    }
    expect(await found('quill%')).toEqual(['CONTACT Quill']);
  });
});

describe('Best match first', () => {
  test('a whole word before the beginning of one, that before a part of one, then newest first', async () => {
    for (const lastName of ['Marian', 'Ann', 'Annabel', 'Joann', 'Ann', 'Annette']) {
      await contact({ firstName: 'X', lastName });
    }
    const names = (await found('ann')).map((line) => line.replace('CONTACT X ', ''));
    expect(names).toEqual(['Ann', 'Ann', 'Annette', 'Annabel', 'Joann']);
    expect(await found('x ann')).toEqual((await found('ann')) as never);
  });

  test('whole words are found and on top also where very many newer records hold parts', async () => {
    await contact({ firstName: 'Old', lastName: 'Ann' });
    for (let n = 0; n < 22; n += 1) {
      await Promise.all(Array.from({ length: 10 }, () => contact({ lastName: 'Joann' })));
    }
    const { body } = await searchFor('ann');
    expect(body.data[0].title).toBe('Old Ann');
    expect(body.pagination.total).toBeGreaterThanOrEqual(200);
  });

  test('pages through results: every record once, in one order, with Link and the exact total', async () => {
    for (let n = 0; n < 7; n += 1) await contact({ firstName: `N${n}`, lastName: 'Quill' });
    const all = (await searchFor('quill')).body.data;
    expect(all.map(({ title }: Body) => title)).toEqual(
      [6, 5, 4, 3, 2, 1, 0].map((n) => `N${n} Quill`),
    );
    const paged = [];
    for (const offset of [0, 3, 6]) {
      const { body } = await searchFor('quill', firm.owner, `&limit=3&offset=${offset}`);
      expect(body.pagination).toEqual({ limit: 3, offset, total: 7 });
      paged.push(...body.data);
    }
    expect(paged).toEqual(all);
    const { headers } = await searchFor('quill', firm.owner, '&limit=3&offset=3');
    expect(headers.get('link')).toContain('q=quill');
    expect(headers.get('link')).toContain('rel="next"');
    expect((await searchFor('quill', firm.owner, '&offset=7')).body).toEqual({
      data: [],
      pagination: { limit: 20, offset: 7, total: 7 },
    });
  });
});

describe('With a small typo, where nothing matches exactly', () => {
  test.each([
    ['quackenbosh', 'a letter wrong'],
    ['quackenbsh', 'a letter missing'],
    ['quackennbush', 'a letter doubled'],
    ['quakcenbush', 'two letters swapped'],
    ['uqackenbush', 'the first two swapped'],
    ['quackenbuhs', 'the last two swapped'],
    ['kwackenbush', 'the first two wrong'],
    ['quakenbosh', 'two letters wrong'],
    ['QUACKENBÖSH', 'in capitals and with an accent'],
    ['zebulun quackenbush', 'one of two words'],
    ['zebluon quakenbush', 'both words'],
  ])('%s: %s', async (q) => {
    await contact({ firstName: 'Zebulon', lastName: 'Quackenbush' });
    await contact({ firstName: 'Ann', lastName: 'Reed' });
    const { body } = await searchFor(q);
    expect(body.data).toMatchObject([{ title: 'Zebulon Quackenbush', matched: 'name' }]);
    expect(body.pagination.total).toBe(1);
  });

  test.each(['smoth', 'smiht', 'smih', 'ssmith', 'msith'])(
    'one letter in a short word: %s',
    async (q) => {
      await contact({ lastName: 'Smith' });
      expect(await found(q)).toEqual(['CONTACT Smith']);
    },
  );

  test('not where words are far from each other, short, or numbers', async () => {
    await contact({ lastName: 'Smith', firstName: 'Bo', phones: ['555 0100'] });
    for (const q of ['smart', 'smooth', 'bi', '5550101', 'smyths quill']) {
      expect(await found(q)).toEqual([]);
    }
  });

  test('not where something matches exactly', async () => {
    await contact({ lastName: 'Smith' });
    await contact({ lastName: 'Smyth' });
    expect(await found('smyth')).toEqual(['CONTACT Smyth']);
    expect(await found('smeth')).toHaveLength(2);
  });

  test('leads and matters too, by what was just written, and nobody else’s words', async () => {
    const other = await makeFirm(server);
    await lead({ lastName: 'Quackenbush' });
    await matter({ title: 'Harbour lease' });
    expect((await found('quakenbush')).sort()).toEqual(['CONTACT Quackenbush', 'LEAD Quackenbush']);
    expect(await found('harbor lease')).toEqual(['MATTER Harbour lease']);
    expect(await found('quakenbush', other.owner)).toEqual([]);
    const leadsOnly = await firm.callerOf('ada@harrow.example', ['leads:read']);
    expect(await found('quakenbush', leadsOnly)).toEqual(['LEAD Quackenbush']);
  });

  test('a renamed or deleted record leads nowhere by its old words', async () => {
    const { id } = await contact({ lastName: 'Quackenbush' });
    await firm.owner.patch(`/v1/contacts/${id}`, { lastName: 'Rutherford' });
    expect(await found('quakenbush')).toEqual([]);
    expect(await found('ruterford')).toEqual(['CONTACT Rutherford']);
    await firm.owner.delete(`/v1/contacts/${id}`);
    expect(await found('ruterford')).toEqual([]);
  });
});

describe('What was just written is what is searched', () => {
  test('a record is found by the very next request after its creation, on any instance', async () => {
    const other = await startTestServer({});
    const elsewhere = caller(other.url, firm.owner.key);
    for (let n = 0; n < 10; n += 1) {
      await lead({ lastName: `Quill${n}` });
      expect(await found(`quill${n}`, elsewhere)).toHaveLength(2);
      await matter({ title: `Reed${n}` });
      expect(await found(`reed${n}`, elsewhere)).toHaveLength(1);
    }
  });

  test('a renamed contact is found by its new name and not by its old, and so are its lead and matter', async () => {
    const { contact: quill } = await lead({ firstName: 'Zoe', lastName: 'Quill' });
    await matter({ title: 'Lease', clientContactIds: [quill.id] });
    await firm.owner.patch(`/v1/contacts/${quill.id}`, { lastName: 'Rutherford' });
    expect(await found('quill')).toEqual([]);
    expect((await found('rutherford')).sort()).toEqual([
      'CONTACT Zoe Rutherford',
      'LEAD Zoe Rutherford',
      'MATTER Lease',
    ]);
  });

  test('a matter is found by both of two clients that are renamed at the same moment', async () => {
    const clients: string[] = [];
    for (const n of [0, 1, 2]) clients.push((await contact({ lastName: `Old${n}` })).id);
    const matters = [];
    for (let n = 0; n < 8; n += 1)
      matters.push(matter({ title: `Lease ${n}`, clientContactIds: clients.slice(0, 2) }));
    const rename = (n: number) =>
      firm.owner.patch(`/v1/contacts/${clients[n]}`, { lastName: `Fresh${n}` });
    // A matter made, and one changed, while its clients are renamed.
    await Promise.all([rename(0), ...matters, rename(1)]);
    const [{ id = '' } = {}] = await Promise.all(matters);
    await Promise.all([
      rename(2),
      firm.owner.patch(`/v1/matters/${id}`, { title: 'Merger' }),
      ...Array.from({ length: 4 }, () => matter({ title: 'Will', clientContactIds: clients })),
    ]);
    expect(await found('fresh0 fresh1')).toHaveLength(12);
    expect(await found('fresh2 will')).toHaveLength(4);
    expect(await found('merger fresh1')).toEqual(['MATTER Merger']);
    for (const n of [0, 1, 2]) expect(await found(`old${n}`)).toEqual([]);
  });

  test('a retitled matter is found by its new title and not by its old', async () => {
    const { id } = await matter({ title: 'Lease' });
    await firm.owner.patch(`/v1/matters/${id}`, { title: 'Merger' });
    expect(await found('lease')).toEqual([]);
    expect(await found('merger')).toEqual(['MATTER Merger']);
  });

  test('a retitled matter is still found by its clients', async () => {
    const quill = await contact({ lastName: 'Quill' });
    const { id } = await matter({ title: 'Lease', clientContactIds: [quill.id] });
    await firm.owner.patch(`/v1/matters/${id}`, { title: 'Merger' });
    expect(await found('quill merger')).toEqual(['MATTER Merger']);
  });

  test('deleted records are never found', async () => {
    const { id, contact: quill } = await lead({ lastName: 'Quill' });
    const lease = await matter({ title: 'Quill lease', clientContactIds: [quill.id] });
    expect(await found('quill')).toHaveLength(3);
    await firm.owner.delete(`/v1/matters/${lease.id}`);
    expect(await found('quill')).toHaveLength(2);
    await firm.owner.delete(`/v1/leads/${id}`);
    expect(await found('quill')).toEqual(['CONTACT Quill']);
    await firm.owner.delete(`/v1/contacts/${quill.id}`);
    expect(await found('quill')).toEqual([]);
    expect(await found('L-0001')).toEqual([]);
    expect(await found('lease quill')).toEqual([]);
  });

  test('a lead that has lost its contact is found by its number only, and called by it', async () => {
    const { contact: quill } = await lead({ lastName: 'Quill' });
    await firm.owner.delete(`/v1/contacts/${quill.id}`);
    expect(await found('quill')).toEqual([]);
    expect(await found('L-0001 quill')).toEqual([]);
    expect(await found('L-0001')).toEqual(['LEAD L-0001']);
  });

  test('a matter keeps the name of a client whose contact was deleted, and is found by it', async () => {
    const [quill, reed] = [
      await contact({ lastName: 'Quill' }),
      await contact({ lastName: 'Reed' }),
    ];
    const { id } = await matter({ title: 'Lease', clientContactIds: [quill.id, reed.id] });
    await firm.owner.delete(`/v1/contacts/${quill.id}`);
    await firm.owner.patch(`/v1/contacts/${reed.id}`, { lastName: 'Vance' });
    const { body } = await firm.owner.get(`/v1/matters/${id}`);
    expect(body.data.clients.map(({ name }: Body) => name)).toEqual(['Quill', 'Vance']);
    expect(await found('quill')).toEqual(['MATTER Lease']);
    expect(await found('vance quill')).toEqual(['MATTER Lease']);
    expect(await found('reed')).toEqual([]);
  });
});

describe('Nobody finds what they may not read', () => {
  test('a private lead, found by its assignees and by owners only, not in totals either', async () => {
    firm = await makeFirm(server, {
      members: [
        { email: 'ada@harrow.example', name: 'Ada', role: 'Owner' },
        { email: attorney, name: 'Ben', role: 'Attorney' },
        { email: 'dee@harrow.example', name: 'Dee', role: 'Attorney' },
      ],
    });
    const [ben, dee] = await Promise.all([
      firm.callerOf(attorney),
      firm.callerOf('dee@harrow.example', ['leads:read']),
    ]);
    const { id } = await lead({ lastName: 'Quill', isPrivate: true }, ben);
    for (const q of ['quill', 'L-0001', 'L-0001 quill']) {
      expect(await found(q, dee)).toEqual([]);
      for (const by of [ben, firm.owner]) expect(await found(q, by)).toContain('LEAD Quill');
    }
    await firm.owner.patch(`/v1/leads/${id}`, { isPrivate: false });
    expect(await found('quill', dee)).toEqual(['LEAD Quill']);
  });

  test('private leads beside others are in no page and no total of who may not see them', async () => {
    const ben = await firm.callerOf(attorney, ['leads:read']);
    for (let n = 0; n < 6; n += 1) await lead({ lastName: 'Quill', isPrivate: n % 3 > 0 });
    for (const q of ['quill', 'uil', 'q', 'quyll', 'l quill', '000']) {
      const { body } = await searchFor(q, ben, '&limit=1');
      expect([q, body.pagination.total]).toEqual([q, 2]);
      const numbers = (await searchFor(q, ben)).body.data.map(({ publicId }: Body) => publicId);
      expect(numbers.sort()).toEqual(['L-0001', 'L-0004']);
    }
  });

  test('kinds the key may not read never show, not in totals either', async () => {
    const { contact: quill } = await lead({ lastName: 'Quill' });
    await matter({ title: 'Lease', clientContactIds: [quill.id] });
    const lines = { contacts: 'CONTACT Quill', leads: 'LEAD Quill', matters: 'MATTER Lease' };
    for (const [kind, line] of Object.entries(lines)) {
      const by = await firm.callerOf('ada@harrow.example', [`${kind}:read`]);
      expect(await found('quill', by)).toEqual([line]);
    }
    const both = await firm.callerOf('ada@harrow.example', ['leads:read', 'matters:read']);
    expect((await found('quill', both)).sort()).toEqual(['LEAD Quill', 'MATTER Lease']);
  });

  test('both the member’s permission and the key’s scope count', async () => {
    await lead({ lastName: 'Quill' });
    const cy = await firm.callerOf(bookkeeper);
    expect(await found('quill', cy)).toEqual(['CONTACT Quill']);
  });

  test('a key without any of the three scopes: 403 forbidden, naming them', async () => {
    const by = await firm.callerOf('ada@harrow.example', ['practice-areas:read', 'leads:write']);
    const answer = await searchFor('quill', by);
    for (const scope of ['contacts:read', 'matters:read', 'leads:read']) {
      expectRefusal(answer, 403, 'forbidden', scope);
    }
  });

  test('a member without any of the key’s permissions: 403 forbidden, naming them', async () => {
    const by = await firm.callerOf(bookkeeper, ['leads:read', 'matters:read']);
    const answer = await searchFor('quill', by);
    for (const scope of ['matters:read', 'leads:read']) {
      expectRefusal(answer, 403, 'forbidden', scope);
    }
    expect(answer.body.error.message).not.toContain('contacts:read');
  });

  test('no key: 401 unauthorized, before q is looked at', async () => {
    expectRefusal(await caller(server.url, '').get('/v1/search'), 401, 'unauthorized');
  });

  test('two firms with the same names: each finds its own', async () => {
    const other = await makeFirm(server);
    const mine = await lead({ lastName: 'Quill' });
    const theirs = await made('/v1/leads', { lastName: 'Quill' }, other.owner);
    const idsOf = async (by: Caller) =>
      (await searchFor('quill', by)).body.data.map(({ id }: Body) => id).sort();
    expect(await idsOf(firm.owner)).toEqual([mine.id, mine.contact.id].sort());
    expect(await idsOf(other.owner)).toEqual([theirs.id, theirs.contact.id].sort());
  });
});

describe('q is required: 1 to 200 characters after trimming, else 400 invalid_request naming it', () => {
  test.each(['', '?q=', '?q=%20%20', `?q=${'a'.repeat(201)}`, `?q=${'%F0%9F%98%80'.repeat(201)}`])(
    'refused: /v1/search%s',
    async (query) => {
      expectRefusal(await firm.owner.get(`/v1/search${query}`), 400, 'invalid_request', 'q ');
    },
  );

  test.each([
    'a',
    'a'.repeat(200),
    `  ${'a'.repeat(200)}  `,
    '😀'.repeat(200),
    'a '.repeat(100),
    '%00',
    'null',
    '1e3',
    '[1]',
    '{"a":1}',
  ])('accepted: %s', async (q) => {
    expect(await found(q)).toEqual([]);
  });

  test('limit and offset have the bounds of every list', async () => {
    for (const page of ['&limit=0', '&limit=101', '&limit=x', '&limit=']) {
      expectRefusal(await searchFor('a', firm.owner, page), 400, 'invalid_request', 'limit');
    }
    expectRefusal(await searchFor('a', firm.owner, '&offset=-1'), 400, 'invalid_request', 'offset');
  });
});
