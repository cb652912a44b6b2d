/** What the pages of leads and of matters have in common. */
import { describe, expect, test } from 'bun:test';
import {
  attorney,
  bookkeeper,
  makeFirm,
  owner,
  startTestServer,
  usualBlueprint,
} from '../support/firm.ts';
import { attributeIn, partsIn, textIn } from '../support/html.ts';
import { type Visitor, visitorOf, visitorWith } from '../support/visitor.ts';

const server = await startTestServer();
const paralegal = 'pat@harrow.example';

const firm = await makeFirm(server, {
  roles: [
    ...usualBlueprint.roles,
    { name: 'Paralegal', permissions: ['contacts:read', 'leads:read', 'matters:read'] },
  ],
  members: [...usualBlueprint.members, { email: paralegal, name: 'Pat Reed', role: 'Paralegal' }],
  customFields: ['lead', 'matter'].flatMap((on) => [
    { on, name: 'Employer', type: 'TEXT' },
    { on, name: 'Court', type: 'TEXT' },
  ]),
});
const [ada, ben, cy, pat] = (await Promise.all(
  [owner, attorney, bookkeeper, paralegal].map((email) => visitorOf(server, firm, email)),
)) as [Visitor, Visitor, Visitor, Visitor];

type Kind = { noun: 'lead' | 'matter'; body(name: string): object; forms: string[] };

const kinds: Kind[] = [
  {
    noun: 'lead',
    body: (lastName) => ({ lastName }),
    forms: ['/assignees', '/not-hired', '/contact'],
  },
  {
    noun: 'matter',
    body: (title) => ({
      title,
      practiceAreaId: firm.practiceAreas.Family?.id,
      openDate: '2026-03-03',
    }),
    forms: ['/clients', '/team'],
  },
];

const testRecord = ({ noun, body, forms }: Kind) => {
  const make = async (name = 'Quill') => {
    const made = await firm.owner.post(`/v1/${noun}s`, body(name));
    expect(made.status).toBe(201);
    const id = made.body.data.id as string;
    const stored = async () => (await firm.owner.get(`/v1/${noun}s/${id}`)).body.data;
    return { id, path: `/${noun}s/${id}`, number: made.body.data.publicId as string, stored };
  };
  const sent = { status: 'ARCHIVE', text: 'Forged', 'customFields.Employer': 'Forged' };
  const addresses = ['', '/status', '/notes', '/delete', '/restore', ...forms];
  const unchanged = { status: 'ACTIVE', customFields: {} };

  test('who may only read sees values and no control; who may not sees nothing; both are refused by hand', async () => {
    const { path, stored } = await make();
    const page = await pat.get(path);
    expect(page.status).toBe(200);
    expect(textIn(page.text, 'main h1')).toContain('Quill');
    expect(partsIn(page.text, 'main form, main button')).toEqual([]);
    expect((await cy.get(path)).status).toBe(403);
    for (const visitor of [pat, cy]) {
      for (const one of addresses) {
        expect([one, (await visitor.post(path + one, sent)).status]).toEqual([one, 403]);
      }
    }
    expect(await stored()).toMatchObject(unchanged);
  });

  test('a form from another site, or from nobody, changes nothing', async () => {
    const { path, stored } = await make();
    const forged = { 'sec-fetch-site': 'cross-site', origin: 'https://elsewhere.example' };
    const nobody = visitorWith(server.url, '');
    for (const one of addresses) {
      expect([one, (await ben.post(path + one, sent, forged)).status]).toEqual([one, 403]);
      const { status, location } = await nobody.post(path + one, sent);
      expect([one, status, location]).toEqual([one, 303, '/sign-in?to=%2F']);
    }
    expect(await stored()).toMatchObject(unchanged);
  });

  test('what is of another firm gets the same answer as what is not there', async () => {
    const { id, path, stored } = await make();
    const alien = await visitorOf(server, await makeFirm(server), owner);
    const nowhere = crypto.randomUUID();
    for (const one of addresses) {
      const [theirs, none] = [
        await alien.post(path + one, sent),
        await alien.post(`/${noun}s/${nowhere}${one}`, sent),
      ];
      expect([one, theirs.status]).toEqual([one, 404]);
      expect(theirs.text.replaceAll(id, nowhere)).toBe(none.text);
    }
    for (const one of [path, `/${noun}s/${nowhere}`, `/${noun}s/nonsense`]) {
      expect((await alien.get(one)).status).toBe(404);
    }
    expect(await stored()).toMatchObject(unchanged);
  });

  test('of two who edit, changes of different fields are both kept; of the same field the second is asked', async () => {
    const { path, stored } = await make();
    const [employer, court] = ['customFields.Employer', 'customFields.Court'];
    const change = (visitor: Visitor, name: string, from: string, to: string) =>
      visitor.post(path, { [name]: to, [`was.${name}`]: from });
    expect((await change(ben, employer, '', 'Rook')).status).toBe(303);
    expect((await change(ada, court, '', 'High')).status).toBe(303);
    const late = await change(ada, employer, '', 'Moss');
    expect(late.status).toBe(422);
    expect(textIn(late.text, '.theirs')).toMatch(
      /^Ben changed this to Rook (just now|a minute ago)\. ?Use Ben's ?Keep mine$/,
    );
    expect((await stored()).customFields).toEqual({ Employer: 'Rook', Court: 'High' });
    expect((await change(ada, employer, 'Rook', 'Moss')).status).toBe(303);
    expect((await stored()).customFields).toEqual({ Employer: 'Moss', Court: 'High' });
    // One's own other window is nobody else.
    const own = await change(ada, employer, 'Rook', 'Pike');
    expect(own.status).toBe(422);
    expect(textIn(own.text, '.theirs')).toMatch(
      /^You changed this to Moss (just now|a minute ago), in another window\. ?Use that ?Keep this$/,
    );
    expect((await stored()).customFields).toEqual({ Employer: 'Moss', Court: 'High' });
  });

  test('a deleted one is gone, and comes back as it was', async () => {
    const { path, number } = await make();
    expect((await ben.post(`${path}/delete`)).location).toBe(`${path}/deleted`);
    expect((await ben.get(path)).status).toBe(404);
    expect(textIn((await ben.get(`${path}/deleted`)).text, 'main')).toContain(
      `${number} is deleted`,
    );
    expect((await ben.post(`${path}/restore`)).location).toBe(path);
    expect((await ben.get(`${path}/deleted`)).status).toBe(404);
    const timeline = textIn((await ben.get(path)).text, '.timeline');
    expect(timeline).toContain(`deleted the ${noun}`);
    expect(timeline).toContain(`restored the ${noun}`);
  });

  test('a note is its author’s; hostile text is only text', async () => {
    const hostile = `</script><img src=x onerror=alert(1)>"'<!-- ‮ 𝒬 ${'x'.repeat(255)}`;
    const { path } = await make(hostile.slice(0, 120));
    expect((await ben.post(`${path}/notes`, { text: '  ' })).text).toContain(
      'Note must not be empty.',
    );
    expect((await ben.post(`${path}/notes`, { text: hostile })).status).toBe(303);
    expect((await ben.post(path, { 'customFields.Employer': hostile })).status).toBe(303);
    const page = (await ben.get(path)).text;
    expect(page).toContain('&lt;img src=x');
    expect(page).not.toContain('<img');
    expect(partsIn(page, 'script').length).toBe(1);
    const removal = attributeIn(page, 'form[action*="/notes/"][action$="/delete"]', 'action');
    const note = removal.replace(/\/delete$/, '');
    expect((await ada.post(note, { text: 'Mine now' })).status).toBe(403);
    expect((await ben.post(note, { text: 'Called back' })).status).toBe(303);
    expect((await ben.get(path)).text).toContain('Called back');
    expect((await ada.post(removal)).status).toBe(303);
    expect((await ben.get(path)).text).not.toContain('Called back');
  });
};

for (const kind of kinds) describe(`The page of a ${kind.noun}`, () => testRecord(kind));
