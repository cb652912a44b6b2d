/** What the application's search finds: names and numbers as the API does, and what people wrote. */
import { beforeAll, describe, expect, test } from 'bun:test';
import { connect } from '../support/database.ts';
import {
  attorney,
  bookkeeper,
  type Firm,
  makeFirm,
  owner,
  startTestServer,
} from '../support/firm.ts';
import { attributeIn } from '../support/html.ts';
import { type Visitor, visitorOf } from '../support/visitor.ts';

const server = await startTestServer();
let firm: Firm;
/** The owner, who sees all. */
let ada: Visitor;
/** Not assigned to private leads. */
let ben: Visitor;
/** Sees contacts alone. */
let cy: Visitor;

const begin = async () => {
  firm = await makeFirm(server);
  [ada, ben, cy] = (await Promise.all(
    [owner, attorney, bookkeeper].map((email) => visitorOf(server, firm, email)),
  )) as [Visitor, Visitor, Visitor];
};

type Suggested = {
  found: { path: string; name: string; sub: string; number?: string }[];
  leftOut: string;
  create?: { path: string; name: string };
};

const addressOf = (q: string) => `/search?q=${encodeURIComponent(q)}`;

/** What the palette gets. */
const suggested = async (q: string, by: Visitor = ada): Promise<Suggested> => {
  const island = { 'x-sent-by': 'island', accept: 'application/json' };
  const { status, text } = await by.get(addressOf(q), island);
  expect(status).toBe(200);
  return JSON.parse(text);
};

const found = async (q: string, by: Visitor = ada) =>
  (await suggested(q, by)).found.map(({ path }) => path);

const searched = async (q: string, by: Visitor = ada) => (await by.get(addressOf(q))).text;

const makeLead = async (person: object) => {
  const { body } = await firm.owner.post('/v1/leads', person);
  return { path: `/leads/${body.data.id}`, ...body.data } as {
    path: string;
    id: string;
    publicId: string;
    contact: { id: string };
  };
};

const makeMatter = async (more: object) => {
  const { body } = await firm.owner.post('/v1/matters', {
    practiceAreaId: firm.practiceAreas.Family?.id,
    openDate: '2026-02-03',
    ...more,
  });
  return { path: `/matters/${body.data.id}`, ...body.data } as {
    path: string;
    id: string;
    publicId: string;
  };
};

const note = async (path: string, text: string, by: Visitor = ada) => {
  expect((await by.post(`${path}/notes`, { text })).status).toBe(303);
  const { text: page } = await by.get(path);
  return /\/notes\/([0-9a-f-]{36})/.exec(page)?.[1] as string;
};

describe('The search in the application finds', () => {
  beforeAll(begin);

  test('words and beginnings of words in notes of leads and matters', async () => {
    const lead = await makeLead({ firstName: 'Zoë', lastName: 'Quill' });
    const matter = await makeMatter({ title: 'Northgate lease' });
    await note(lead.path, 'Her second marriage; the Müller papers are missing.');
    await note(matter.path, 'Mediation with Coastline in May.');
    for (const q of ['marriage', 'marr', 'SECOND marriage', 'muller', 'Müller', 'papers second'])
      expect(await found(q), q).toEqual([lead.path]);
    for (const q of ['coastline', 'mediat coast']) expect(await found(q), q).toEqual([matter.path]);
    for (const q of ['arriage', 'oastline']) expect(await found(q), q).toEqual([]);
    const [said] = (await suggested('marriage')).found;
    expect(said?.sub).toBe(
      'Lead L-0001 · New · Note: Her second marriage; the Müller papers are missing.',
    );
  });

  test('titles of tasks and events, and descriptions; what they said before no longer', async () => {
    const matter = await makeMatter({ title: 'Estate', description: 'A cottage at Windermere' });
    const task = {
      matter: matter.publicId,
      title: 'Collect the bankstatements',
      dueOn: '',
      assigneeId: '',
    };
    expect((await ada.post('/tasks/new', task)).status).toBe(303);
    const event = { matter: matter.publicId, title: 'Hearing at Kingsbridge', day: '2026-12-01' };
    expect(
      (
        await ada.post('/calendar/new', {
          ...event,
          begins: '10:00',
          ends: '',
          lastDay: '',
          guests: '',
        })
      ).status,
    ).toBe(303);
    for (const q of ['windermere', 'bankstate', 'kingsbridge hearing'])
      expect(await found(q), q).toEqual([matter.path]);
    await firm.owner.patch(`/v1/matters/${matter.id}`, { description: 'A house at Ambleside' });
    expect(await found('windermere')).toEqual([]);
    expect(await found('ambleside')).toEqual([matter.path]);
    await firm.owner.patch(`/v1/matters/${matter.id}`, { description: null });
    expect(await found('ambleside')).toEqual([]);
  });

  test('a name together with a word of a note', async () => {
    const lead = await makeLead({ firstName: 'Ines', lastName: 'Pomfret' });
    await makeLead({ firstName: 'Ivo', lastName: 'Pomfret' });
    await note(lead.path, 'Asks about the houseboat.');
    expect(await found('pomfret houseboat')).toEqual([lead.path]);
  });

  test('a phone number in any grouping, of a person and in a note', async () => {
    const person = await makeLead({ lastName: 'Ringer', phone: '+1 (907) 555-0147' });
    const other = await makeLead({ lastName: 'Told' });
    const contactOf = ({ contact }: { contact: { id: string } }) => `/contacts/${contact.id}`;
    await note(other.path, 'Calls from 907 555-0147 in the evening.');
    const both = [person.path, contactOf(person)].toSorted();
    for (const q of ['907 555-0147', '(907) 555 0147', '555-0147', '907.555.0147']) {
      const hits = await found(q);
      expect(hits.slice(0, 2).toSorted(), q).toEqual(both);
      expect(hits.slice(2), q).toEqual([other.path]);
    }
    for (const q of ['9075550147', '+1 907 555 0147', '0147 555 907'])
      expect((await found(q)).toSorted(), q).toEqual(expect.arrayContaining(both));
  });

  test('a long number as a whole before what only contains it, in leads, matters and phones', async () => {
    const matter = await makeMatter({ title: 'Fence 48151' });
    const lead = await makeLead({ lastName: 'Unit 48151' });
    const phone = await makeLead({ lastName: 'Calls', phone: '+44 20 4815 1623' });
    const hits = await found('48151');
    const wholes = [lead.path, `/contacts/${lead.contact.id}`, matter.path].toSorted();
    expect(hits.slice(0, 3).toSorted()).toEqual(wholes);
    const parts = [phone.path, `/contacts/${phone.contact.id}`].toSorted();
    expect(hits.slice(3).toSorted()).toEqual(parts);
  });

  test('words of letters and digits in notes, in their order', async () => {
    const lead = await makeLead({ lastName: 'Exhibits' });
    await note(lead.path, 'Exhibit B2C with form W9 and a sequel, plan 7 of 9.');
    for (const q of ['b2c', 'B2', 'w9', 'form w9', 'exhibit b2c plan'])
      expect(await found(q), q).toEqual([lead.path]);
    for (const q of ['c2b', '9w', 'b2c9']) expect(await found(q), q).toEqual([]);
  });

  test('a word of more notes than are put in order at once, and each record once', async () => {
    const leads = [
      await makeLead({ lastName: 'Elder' }),
      await makeLead({ lastName: 'Middle' }),
      await makeLead({ lastName: 'Younger' }),
    ];
    const newestFirst = leads.map(({ path }) => path).toReversed();
    for (const at of Array.from({ length: 14 }, (_, at) => at))
      for (const { path } of leads) await note(path, `The greenhouse again, ${at} times.`);
    expect(await found('greenhouse')).toEqual(newestFirst);
    expect(await found('greenhouse 13')).toEqual(newestFirst);
    const { found: said } = await suggested('greenhouse');
    for (const { sub } of said) expect(sub).toContain('again, 13 times.');
    expect(await found('greenhouse again times 12')).toEqual(newestFirst);
  });

  test('a frequent word below more newer notes of private leads than are read, again and for others', async () => {
    const older = await makeLead({ lastName: 'Ostrich' });
    const secret = await makeLead({ lastName: 'Private', isPrivate: true });
    const sql = connect(server.databaseUrl);
    // So many that nobody could write them in a test. Their texts are what the door stored for the first ones.
    const [first, hidden] = [
      await note(older.path, 'A flamingo.'),
      await note(secret.path, 'A flamingo.'),
    ];
    for (const [id, many] of [
      [first, 45],
      [hidden, 250],
    ] as const)
      await sql`
        insert into written_text (firm_id, id, source, record_kind, record_id, record_ordinal, words)
        select firm_id, ${sql`gen_random_uuid()`}, source, record_kind, record_id, record_ordinal, words
        from written_text, generate_series(1, ${many}) where id = ${id}`;
    await sql.end();
    for (const _ of ['counted', 'known to be frequent', 'for Ben not so']) {
      expect(await found('flamingo')).toEqual([secret.path]);
      expect(await found('flamingo', ben)).toEqual([older.path]);
    }
  });

  test('a note as it is now, and none that was deleted, even if its lead is restored', async () => {
    const lead = await makeLead({ firstName: 'Abel', lastName: 'Achter' });
    const id = await note(lead.path, 'Speaks of the lighthouse.');
    expect(await found('lighthouse')).toEqual([lead.path]);
    expect(
      (await ada.post(`${lead.path}/notes/${id}`, { text: 'Speaks of the windmill.' })).status,
    ).toBe(303);
    expect(await found('lighthouse')).toEqual([]);
    expect(await found('windmill')).toEqual([lead.path]);
    await firm.owner.delete(`/v1/leads/${lead.id}`);
    expect(await found('windmill')).toEqual([]);
    expect((await ada.post(`/settings/deleted/leads/${lead.id}/restore`, {})).status).toBe(303);
    expect(await found('windmill')).toEqual([lead.path]);
    expect((await ada.post(`${lead.path}/notes/${id}/delete`, {})).status).toBe(303);
    expect(await found('windmill')).toEqual([]);
    expect(await searched('windmill')).not.toContain('Speaks of');
  });

  test('what the API finds, which finds no more than before', async () => {
    const lead = await makeLead({ firstName: 'Mina', lastName: 'Sorrel' });
    const api = async (q: string) => (await firm.owner.get(`/v1/search?q=${q}`)).body;
    const before = await Promise.all(['sorrel', 'sorel', 'tapestry'].map(api));
    await note(lead.path, 'The tapestry; a sorrell horse, sorels, sorrels.');
    expect(await Promise.all(['sorrel', 'sorel', 'tapestry'].map(api))).toEqual(before);
    expect(before[2].data).toEqual([]);
    expect(await found('tapestry')).toEqual([lead.path]);
  });
});

describe('Who may not see a record', () => {
  beforeAll(begin);

  test('finds nothing by the notes of a private lead, nor that a word stands in one', async () => {
    const secret = await makeLead({ firstName: 'Tab', lastName: 'Hidden', isPrivate: true });
    await makeLead({ firstName: 'Vera', lastName: 'Open' });
    await note(secret.path, 'The yacht is hers.');
    expect(await found('yacht')).toEqual([secret.path]);
    expect((await suggested('yacht', ben)).found).toEqual([]);
    const open = await suggested('open yacht', ben);
    expect(open.found.map(({ name }) => name)).toContain('Vera Open');
    expect(open.leftOut).toBe('“yacht” was left out: nothing that you may see contains it.');
    // For the owner both words stand somewhere, but nowhere together.
    expect(await suggested('open yacht')).toMatchObject({ found: [], leftOut: '' });
    expect(await searched('yacht', ben)).not.toContain(secret.id);
    await ada.post(`${secret.path}/assignees`, { assigneeIds: firm.members[attorney] ?? '' });
    expect(await found('yacht', ben)).toEqual([secret.path]);
    expect(await found(secret.publicId, cy)).toEqual([]);
  });

  test('finds nothing by a role that reads contacts alone, and nothing of another firm', async () => {
    const lead = await makeLead({ firstName: 'Uma', lastName: 'Vale' });
    await note(lead.path, 'Wants the orchard.');
    expect(await found('orchard')).toEqual([lead.path]);
    expect(await found('orchard', cy)).toEqual([]);
    const other = await makeFirm(server);
    const stranger = await visitorOf(server, other, owner);
    expect(await found('orchard', stranger)).toEqual([]);
    expect(await found(lead.publicId, stranger)).toEqual([]);
  });
});

describe('A word that nothing contains', () => {
  beforeAll(begin);

  test('is left out, and the page says which', async () => {
    await makeLead({ firstName: 'Rosalind', lastName: 'Pomfret' });
    const one = await searched('Pomfret wife');
    expect(one).toContain('“wife” was left out: nothing that you may see contains it.');
    expect(one).toContain('Rosalind <mark>Pomfret</mark>');
    const two = await searched('wife Pomfret <b>brother</b>');
    expect(two).toContain('“wife” and “&lt;b>brother&lt;/b>” were left out');
    expect(two).not.toContain('<b>brother');
    // A small typo is still forgiven.
    expect((await suggested('Pomfrett wife')).found.map(({ name }) => name)).toContain(
      'Rosalind Pomfret',
    );
  });

  test('leaves no part of a phone number out', async () => {
    await makeLead({ firstName: 'Una', lastName: 'Phone', phone: '+44 20 7946 0897' });
    expect(await found('020 7946 0001')).toEqual([]);
    expect((await suggested('7946 0897')).found[0]?.name).toBe('Una Phone');
  });

  test('nothing at all: offers to create a lead of that name, to who may', async () => {
    const q = 'Barnaby "The Owl" Teasdale';
    const page = await searched(q, ben);
    expect(page).toContain('No results for “Barnaby &quot;The Owl&quot; Teasdale”.');
    expect(page).toContain('Create a lead named “Barnaby &quot;The Owl&quot; Teasdale”');
    const { create } = await suggested('Barnaby Teasdale', ben);
    expect(create?.name).toBe('Create a lead named “Barnaby Teasdale”');
    const form = (await ben.get(create?.path ?? '')).text;
    expect(form).toMatch(/name="firstName"[^>]*value="Barnaby"/);
    expect(form).toMatch(/name="lastName"[^>]*value="Teasdale"/);
    expect(await searched(q, cy)).not.toContain('Create a lead');
    expect((await suggested(q, cy)).create).toBeUndefined();
  });

  test('nor a phone number: the lead has the number, and is named only as somebody is called', async () => {
    const begun = async (q: string) => {
      const { create } = await suggested(q, ben);
      const form = (await ben.get(create?.path ?? '')).text;
      const filled = ['firstName', 'lastName', 'phone'].map((name) =>
        attributeIn(form, `[name=${name}]`, 'value'),
      );
      return [create?.name, ...filled];
    };
    for (const number of [
      '+1 212 555 0143',
      '(+44) 20 7946 0018',
      '555–0150',
      '0143',
      '+49 30/1, 2',
    ]) {
      expect(await begun(number)).toEqual(['Create a lead', '', '', number]);
      expect(await searched(number, ben)).toMatch(/<a class="button"[^>]*>\s*Create a lead\s*</);
    }
    for (const number of [
      '020 7946 0018',
      '(212) 555-0143 ext. 12',
      '212‑555‑0143 x12',
      '(+44) 20 7946 0018',
    ]) {
      expect(await begun(`Ilse Xyzzy, ${number}`)).toEqual([
        ...['Create a lead named “Ilse Xyzzy”', 'Ilse', 'Xyzzy', number],
      ]);
    }
    // The number of a record, and words with a figure, are no phone number.
    for (const name of ['M-2031-0012', 'Xyzzy 977', 'Xyzzy4all']) {
      const words = name.split(' ');
      expect(await begun(name)).toEqual([
        `Create a lead named “${name}”`,
        words.slice(0, -1).join(' '),
        words.at(-1) ?? '',
        '',
      ]);
    }
  });
});

describe('A result', () => {
  beforeAll(begin);

  test('shows area, stage and phone, with the words marked', async () => {
    const lead = await makeLead({
      firstName: 'Clara',
      lastName: 'Okafor',
      phone: '+44 20 7946 0897',
      practiceAreaId: firm.practiceAreas.Family?.id,
    });
    const text = await searched('okafor');
    expect(text).toContain('Clara <mark>Okafor</mark>');
    const of = text.slice(text.indexOf(`href="${lead.path}"`));
    expect(of.replaceAll(/<[^>]+>/g, '')).toContain(
      'Lead L-0001 · Family · New · +44 20 7946 0897',
    );
    expect(await searched('0897')).toContain('<mark>+44 20 7946 0897</mark>');
  });

  test('says how it ended, if it is no longer at its stage', async () => {
    const { path, id, publicId } = await makeLead({ firstName: 'Ida', lastName: 'Ended' });
    await ada.post(`${path}/notes`, { text: 'Asked for the finale.' });
    const matter = await makeMatter({ title: 'Ended v. Begun' });
    const subOf = async (q: string, of: string) =>
      (await suggested(q)).found.find(({ path }) => path === of)?.sub;
    expect(await subOf('ended', path)).toBe(`Lead ${publicId} · New`);
    expect(await subOf('ended', matter.path)).toContain(' · Intake');
    expect((await ada.post(`${path}/status`, { status: 'ARCHIVE' })).status).toBe(303);
    expect((await firm.owner.patch(`/v1/matters/${matter.id}`, { status: 'ARCHIVE' })).status).toBe(
      200,
    );
    expect(await subOf('ended', matter.path)).toContain(' · Archived');
    for (const q of ['ended', publicId]) {
      expect(await subOf(q, path)).toBe(`Lead ${publicId} · Archived`);
    }
    expect(await subOf('finale', path)).toStartWith(`Lead ${publicId} · Archived`);
    expect((await firm.owner.get(`/v1/leads/${id}`)).body.data.status).toBe('ARCHIVE');
  });

  test('stands with the others of the same person', async () => {
    const { contact, ...lead } = await makeLead({ firstName: 'Nia', lastName: 'Twice' });
    const matter = await makeMatter({ title: 'Twice v. Once', clientContactIds: [contact.id] });
    const other = await makeLead({ firstName: 'Ona', lastName: 'Twice' });
    const paths = await found('twice');
    const mine = [`/contacts/${contact.id}`, lead.path, matter.path];
    expect(paths).toHaveLength(5);
    const at = paths.indexOf(mine[0] as string);
    expect(paths.slice(at, at + 3).toSorted()).toEqual(mine.toSorted());
    const theirs = paths.indexOf(`/contacts/${other.contact.id}`);
    expect(paths[theirs + 1]).toBe(other.path);
  });

  test('is the one with exactly this number before all others', async () => {
    const numbered = await makeLead({ firstName: 'Exa', lastName: 'Number' });
    const [, digits = ''] = /0*(\d+)$/.exec(numbered.publicId) ?? [];
    await makeLead({ firstName: 'L', lastName: `Fortyone ${digits}` });
    const many = Array.from({ length: 14 }, (_, at) =>
      makeLead({ lastName: `L ${digits} no ${at}` }),
    );
    await Promise.all(many);
    for (const q of [`L-${digits}`, numbered.publicId, `l-${digits}`]) {
      expect((await found(q))[0], q).toBe(numbered.path);
    }
    const rest = await ada.get(`${addressOf(`L-${digits}`)}&page=2`);
    expect(rest.text).not.toContain(numbered.path);
  });
});

test('Hostile texts are found, shown as they are, and change nothing', async () => {
  await begin();
  const texts = [
    '<mark>x</mark><script>alert(1)</script> quagga',
    `quagga' & !':* | ("@@")`,
    'quagga '.repeat(2_800),
    `${'q'.repeat(300)}uagga quagga`,
    '‮quagga‭ 𝕢𝕦𝕒𝕘𝕘𝕒 ﷺ',
    'ß ı İ quagga \\',
  ];
  for (const [at, text] of texts.entries()) {
    const lead = await makeLead({ lastName: `Keeper ${'abcdef'[at]}` });
    await note(lead.path, text);
  }
  expect(await found('quagga')).toHaveLength(texts.length);
  const page = await searched('quagga');
  expect(page).toContain('&lt;script>');
  expect(page).not.toContain('<script>alert');
  const strange = [`quagga' & !`, ':*', '@', 'quagga:*', '%', '_', '\\', '((', "'", '…', '𝕢𝕦𝕒𝕘𝕘𝕒'];
  for (const q of [...strange, '<mark>', 'q'.repeat(200), '  ', 'ﷺ', 'a '.repeat(99)]) {
    const { status, text } = await ada.get(addressOf(q));
    expect(status, q).toBe(200);
    expect(text, q).not.toContain('<script>alert');
  }
  expect(await found('𝕢𝕦𝕒𝕘𝕘𝕒')).toHaveLength(texts.length);
});

test('What was written before the search knew of it is found soon, a step at a time', async () => {
  await begin();
  const lead = await makeLead({ firstName: 'Old', lastName: 'Timer' });
  const gone = await note(lead.path, 'A deleted flamingo.');
  await ada.post(`${lead.path}/notes/${gone}/delete`, {});
  await note(lead.path, 'An ancient flamingo.');
  const matter = await makeMatter({ title: 'Old estate', description: 'A flamingo pond' });
  const sql = connect(server.databaseUrl);
  const filler = `insert into note (firm_id, id, about, record_id, member_id, text, created_at, updated_at)
    select firm_id, gen_random_uuid(), 'lead', record_id, member_id, 'Line ' || n, now(), now()
    from note, generate_series(1, 1200) n where firm_id = '${firm.id}' and deleted_at is null and about = 'lead'`;
  await sql.unsafe(filler);
  await sql`delete from written_text where firm_id = ${firm.id}`;
  expect(await found('flamingo')).toEqual([]);
  await sql`insert into job (firm_id, kind, dedupe_key, payload, run_at)
    values (${firm.id}, 'text_find', 'text_find', '{}', now() - interval '1 minute')`;
  const isDone = async () =>
    (await sql`select from job where firm_id = ${firm.id} and kind = 'text_find'`).length === 0;
  while (!(await isDone())) await Bun.sleep(20);
  const [count] =
    await sql`select count(*)::int as texts from written_text where firm_id = ${firm.id}`;
  await sql.end();
  expect(count?.texts).toBe(1202);
  expect((await found('flamingo')).toSorted()).toEqual([lead.path, matter.path].toSorted());
});
