/** Who is entered is looked for among the firm's people, whatever was typed: a number alone, symbols alone. */
import { expect, test } from 'bun:test';
import { makeFirm, owner, startTestServer } from '../support/firm.ts';
import { attributesIn } from '../support/html.ts';
import { visitorOf } from '../support/visitor.ts';

const server = await startTestServer();
const island = { 'x-sent-by': 'island', accept: 'application/json' };

test('a caller is entered with a first name and a number, and known by the number the next time', async () => {
  const firm = await makeFirm(server);
  const ada = await visitorOf(server, firm, owner);
  const typed = { firstName: 'Zoe', phone: '+1 555 887 7766' };
  const known = await ada.post('/leads/known', typed, island);
  expect(known.status).toBe(200);
  const made = await ada.post('/leads/new', typed);
  expect([made.status, made.location]).toEqual([
    303,
    expect.stringMatching(/^\/leads\/[0-9a-f-]{36}/),
  ]);
  const again = await ada.post('/leads/known', { firstName: 'Zo', phone: '555 887-7766' }, island);
  expect([again.status, again.text]).toEqual([200, expect.stringContaining('Zoe')]);
});

test('a new contact is known by any of its numbers and addresses', async () => {
  const firm = await makeFirm(server);
  const ada = await visitorOf(server, firm, owner);
  const made = await ada.post('/leads/new', { firstName: 'Zoe', phone: '+1 555 887 7766' });
  expect(made.status).toBe(303);
  const { text } = await ada.get('/contacts/new');
  expect(attributesIn(text, 'form [name]', 'name')).toEqual(
    expect.arrayContaining(['phones', 'emails']),
  );
  const typed = { type: 'PERSON', lastName: 'Q', phones: '555 123 4567\r\n555 887-7766' };
  const known = await ada.post('/contacts/known', typed, island);
  expect([known.status, known.text]).toEqual([200, expect.stringContaining('same phone')]);
});

test('the pages of people whose names and addresses are symbols alone open, and so does a search for them', async () => {
  const firm = await makeFirm(server);
  const ada = await visitorOf(server, firm, owner);
  const nobody = { lastName: 'Moss', email: 'moss@harrow.example' };
  expect((await firm.owner.post('/v1/leads', nobody)).status).toBe(201);
  for (const name of ['???', '—', '.', '٪', '🏳', '%', '_']) {
    for (const more of [{}, { phone: '+1 555 887 7766' }, { email: '?@?.?' }]) {
      const { status, body } = await firm.owner.post('/v1/leads', { firstName: name, ...more });
      expect(status).toBe(201);
      const { id, contact } = body.data;
      for (const path of [
        `/leads/${id}`,
        `/contacts/${contact.id}`,
        `/contacts/${contact.id}/merge`,
      ]) {
        const page = await ada.get(path);
        expect([path, page.status]).toEqual([path, 200]);
        // Nobody is like them because neither has a word. To merge, everybody is offered.
        expect(page.text.includes('moss@harrow.example')).toBe(path.endsWith('/merge'));
      }
    }
    const query = encodeURIComponent(name);
    expect((await ada.get(`/search?q=${query}`)).status).toBe(200);
    expect((await firm.owner.get(`/v1/search?q=${query}`)).status).toBeLessThan(500);
  }
  for (const path of ['/search', '/search?q=', '/search?q=%20']) {
    expect((await ada.get(path)).status).toBe(200);
  }
});
