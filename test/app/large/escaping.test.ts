/** Whatever is typed stays text: in every page, title, island and file, from every field of every form. */
import { expect, test } from 'bun:test';
import fc from 'fast-check';
import { pages } from '../../../src/app/pages.ts';
import { makesFile, pageAt, partsOf, sentBy, walk } from '../../support/crawl.ts';
import { makeFirm, owner, startTestServer } from '../../support/firm.ts';
import { fullOwner, makeFullFirm, startsOf } from '../../support/full-firm.ts';
import { formulasIn, strangeIn } from '../../support/inert.ts';
import { visitorOf } from '../../support/visitor.ts';

const server = await startTestServer();
const paths = pages.filter(({ method }) => method === 'GET').map(({ path }) => path);

const piece = fc.constantFrom(
  ...[
    '</script>',
    '<zx onerror=1>',
    '<!--',
    '-->',
    ']]>',
    '"',
    "'",
    '`',
    '&',
    '&lt;',
    '&#60;',
    '<',
  ],
  ...['>', '=', 'javascript:zx()', '\u202e', '\u2028', '\ufeff', '\u{1d4ac}', 'é', '{{x}}', ' a'],
);
const hostile = fc.array(piece, { minLength: 1, maxLength: 12 }).map((parts) => parts.join(''));

const decoded = (text: string) =>
  text.replaceAll(/&(lt|gt|quot|amp|#39);/g, (whole, name: string) => {
    const signs: Record<string, string> = { lt: '<', gt: '>', quot: '"', amp: '&', '#39': "'" };
    return signs[name] ?? whole;
  });

test('a name is the same text in title, heading, field and island, and nothing else', async () => {
  const firm = await makeFirm(server);
  const ada = await visitorOf(server, firm, owner);
  await fc.assert(
    fc.asyncProperty(hostile, hostile, async (one, two) => {
      const lastName = `Q${one}`.slice(0, 60).toWellFormed();
      const sent = { lastName, email: 'zx@known.example' };
      const made = await firm.owner.post('/v1/leads', sent);
      expect(made.status).toBe(201);
      const { id, contact } = made.body.data;
      await ada.post(`/leads/${id}/notes`, { text: two });
      const known = await ada.post('/leads/new', { ...sent, firstName: two.slice(0, 60) });
      const texts = [
        (await ada.get(`/leads/${id}`)).text,
        (await ada.get(`/leads/${id}?do=hire`)).text,
        (await ada.get(`/contacts/${contact.id}`)).text,
        (await ada.get(`/search?q=${encodeURIComponent(one)}`)).text,
        known.text,
      ];
      for (const text of texts) expect(await strangeIn(text)).toEqual([]);
      const [text = ''] = texts;
      const [, title = ''] = /<title>([^<]*)<\/title>/.exec(text) ?? [];
      expect(decoded(title)).toStartWith(contact.name);
      expect(decoded(/<h1[^>]*>([^<]*)/.exec(text)?.[1] ?? '')).toBe(contact.name);
    }),
    { numRuns: 15 },
  );
});

test('what is typed into every field of every form is inert on every page and in every file', async () => {
  const firm = await makeFullFirm(server);
  const ada = await visitorOf(server, firm, fullOwner);
  const starts = startsOf(firm, paths);
  const { forms } = await walk(ada, starts, { max: 1 });
  const strange: string[] = [];
  const note = async (where: string, text: string) => {
    for (const one of await strangeIn(text)) strange.push(`${where}: ${one}`);
  };
  const texts = [
    '=1+1</script><zx onerror=1>"\'<!--',
    `javascript:zx()\u202e${'\u{1d4ac}'.repeat(40)}`,
  ];
  let taken = 0;
  for (const text of texts) {
    for (const form of forms) {
      const typed = form.fields.filter(({ isTyped }) => isTyped).map(({ name }) => name);
      if (typed.length === 0 || pageAt(form.action, 'POST')?.path === '/sign-in/code') continue;
      // A form refuses what nobody could write to.
      const address = `"${text.replaceAll(/[\s@,;<>]/g, '')}"@zx.example`;
      const email = (name: string) =>
        /email/i.test(name) ? address : /phone/i.test(name) ? `${text} 555` : text;
      const sent = {
        ...sentBy(form),
        ...Object.fromEntries(typed.map((name) => [name, email(name)])),
      };
      let answer = await ada.post(form.action, sent);
      if (answer.text.includes('The firm may know this person')) {
        const { forms: shown } = await partsOf(answer.text, form.action);
        const again = shown.find(({ action }) => action === form.action);
        if (again) answer = await ada.post(form.action, sentBy(again));
      }
      if (answer.status >= 500) strange.push(`${form.action}: ${answer.status}`);
      if (answer.status === 303) taken += 1;
      await note(`answer of ${form.action}`, answer.text);
    }
  }
  // Where nothing was stored, nothing would be shown.
  expect(taken).toBeGreaterThan(20);
  const after = await walk(ada, starts, { max: 1 });
  for (const [address, text] of after.texts) await note(address, text);
  expect(strange).toEqual([]);
  // A matter's ZIP is no text; test/matters/bundle.test.ts reads the files in it.
  const files = after.forms.filter(({ action }) => makesFile(action));
  expect(files.length).toBeGreaterThan(2);
  for (const { action } of files) {
    const { status, text } = await ada.post(action.split('?')[0] ?? '');
    expect(status).toBe(200);
    expect(formulasIn(text), action).toEqual([]);
  }
  expect((await ada.post('/leads/export')).text).toContain("'=1+1");
});
