/** A member's calendar feed: a secret address that gives their dates, and nothing else. */
import { expect, test } from 'bun:test';
import ICAL from 'ical.js';
import { attorney, makeFirm, owner, startTestServer } from '../support/firm.ts';
import { attributesIn } from '../support/html.ts';
import { visitorOf, visitorWith } from '../support/visitor.ts';

const server = await startTestServer();
const outside = visitorWith(server.url, '');
/** A feed goes two years ahead. */
const year = new Date().getUTCFullYear() + 1;

test('a feed gives the dates of its member, until it is ended, made anew, or its member leaves', async () => {
  const firm = await makeFirm(server);
  const make = async (title: string, email: string, solDate: string) => {
    const { body } = await firm.owner.post('/v1/matters', {
      title,
      solDate,
      openDate: '2026-01-01',
      practiceAreaId: firm.practiceAreas.Family?.id,
      team: [{ memberId: firm.members[email] }],
    });
    return body.data as { id: string; publicId: string };
  };
  const soon = new Date(Date.now() + 40 * 86_400_000).toISOString().slice(0, 10);
  const compact = (day: string) => day.replaceAll('-', '');
  const mine = await make('Quill; v. Rook,\r\nBEGIN:VEVENT', attorney, soon);
  const theirs = await make('Foreign matter', owner, soon);
  const [ada, ben] = [
    await visitorOf(server, firm, owner),
    await visitorOf(server, firm, attorney),
  ];
  await ada.post('/settings/firm', { name: firm.firm.name, timeZone: 'America/Los_Angeles' });
  await ada.post('/tasks/new', {
    ...{
      title: 'File it',
      matter: mine.publicId,
      dueOn: soon,
      assigneeId: firm.members[attorney] ?? '',
    },
  });
  await ada.post('/calendar/new', {
    title: 'Hearing',
    matter: theirs.publicId,
    day: `${year}-12-14`,
    begins: '10:00',
    ends: '11:30',
    colleagues: [attorney],
  });
  await ada.post('/calendar/new', {
    title: 'Trial',
    matter: mine.publicId,
    day: `${year}-12-14`,
    lastDay: `${year}-12-16`,
    isWhole: 'on',
  });
  const newAddress = async () => {
    const { status, text } = await ben.post('/settings/me/feed');
    expect(status).toBe(200);
    const [, secret = ''] = /\/calendar\/feed\/([\w-]{43})\.ics/.exec(text) ?? [];
    return `/calendar/feed/${secret}.ics`;
  };
  const first = await newAddress();
  const address = await newAddress();
  expect((await ben.get('/settings/me')).text).not.toContain(address);
  const answer = await fetch(server.url + address);
  expect(answer.status).toBe(200);
  expect(answer.headers.get('content-type')).toBe('text/calendar; charset=utf-8');
  const text = await answer.text();
  expect(text.match(/^BEGIN:VEVENT\r$/gm)).toHaveLength(4);
  expect(text).toContain(`DTSTART;VALUE=DATE:${compact(soon)}`);
  expect(text).toContain('SUMMARY:Task: File it');
  expect(text).toContain(`DTSTART:${year}1214T180000Z\r\nDTEND:${year}1214T193000Z`);
  expect(text).toContain(`DTSTART;VALUE=DATE:${year}1214\r\nDTEND;VALUE=DATE:${year}1217`);
  expect(text).toContain('SUMMARY:Limitation: Quill\\; v. Rook\\, BEGIN:VEVENT');
  expect(text).not.toContain('Limitation: Foreign');
  const refused = await outside.get(first);
  expect(refused.status).toBe(404);
  for (const wrong of [
    `/calendar/feed/${'A'.repeat(43)}.ics`,
    '/calendar/feed/x.ics',
    address.replace('.ics', ''),
  ]) {
    const { status, text: said } = await outside.get(wrong);
    expect([status, said.length]).toEqual([404, refused.text.length]);
  }
  await firm.command(['member', 'deactivate', attorney, '--leave']);
  expect((await outside.get(address)).status).toBe(404);
  await firm.command(['member', 'activate', attorney]);
  expect((await outside.get(address)).status).toBe(404);
  const again = await visitorOf(server, firm, attorney);
  const made = (await again.post('/settings/me/feed')).text;
  const newest = /\/calendar\/feed\/[\w-]{43}\.ics/.exec(made)?.[0] ?? '';
  expect((await outside.get(newest)).status).toBe(200);
  expect((await again.post('/settings/me/feed/revoke')).status).toBe(303);
  expect((await outside.get(newest)).status).toBe(404);
  const { text: page } = await again.get('/settings/me');
  expect(page).toContain('Create feed link');
});

test('a feed names the kind of an event, whatever the firm calls it', async () => {
  const firm = await makeFirm(server);
  const ben = await visitorOf(server, firm, attorney);
  const ada = await visitorOf(server, firm, owner);
  const { body } = await firm.owner.post('/v1/matters', {
    ...{ title: 'Quill v. Rook', openDate: '2026-01-01' },
    practiceAreaId: firm.practiceAreas.Family?.id,
  });
  const names = [
    'Hearing',
    'Court; "other", \\n\\side\\',
    `${'Ämter und Gerichte 🎉 '.repeat(5)}CATEGORIES:X`,
    'A,B:C;VALUE=X\u2028END:VEVENT\u0007',
  ];
  for (const [at, name] of names.entries()) {
    await ada.post('/settings/event-kinds/kinds', { name });
    const [kind] = attributesIn(
      (await ada.get('/calendar/new')).text,
      'select[name=kindId] option',
      'value',
    ).slice(-1);
    await ada.post('/calendar/new', {
      ...{ title: `Event ${at}`, matter: body.data.publicId, kindId: kind ?? '' },
      ...{ day: `${year}-12-14`, isWhole: 'on', colleagues: [attorney] },
    });
  }
  await ada.post('/calendar/new', {
    ...{ title: 'Event 4', matter: body.data.publicId, kindId: '' },
    ...{ day: `${year}-12-14`, isWhole: 'on', colleagues: [attorney] },
  });
  const { text: page } = await ben.post('/settings/me/feed');
  const [address = ''] = /\/calendar\/feed\/[\w-]{43}\.ics/.exec(page) ?? [];
  const text = await (await fetch(server.url + address)).text();
  for (const line of text.split('\r\n')) expect(Buffer.byteLength(line)).toBeLessThanOrEqual(75);
  const events = new ICAL.Component(ICAL.parse(text)).getAllSubcomponents('vevent');
  const said = events.map((event) => [
    event.getFirstPropertyValue('summary'),
    event.getFirstProperty('categories')?.getValues(),
  ]);
  expect(Object.fromEntries(said)).toEqual({
    ...Object.fromEntries(
      names.map((name, at) => [`Event ${at}`, [name.replaceAll(/[\p{Cc}\u2028]/gu, ' ').trim()]]),
    ),
    'Event 4': undefined,
  });
});
