/** Invitations to events by mail, read by calendar programs' own parsers. */
import { describe, expect, test } from 'bun:test';
import ICAL from 'ical.js';
import nodeIcal, { type VEvent } from 'node-ical';
import { connect, ownDatabase } from '../support/database.ts';
import { attorney, bookkeeper, makeFirm, owner, startTestServer } from '../support/firm.ts';
import { textsIn } from '../support/html.ts';
import { type Came, startMailing, untilMailing } from '../support/mail.ts';
import { makeWait } from '../support/ruled-dates.ts';
import { untilItDoes as until } from '../support/until.ts';
import { visitorOf } from '../support/visitor.ts';

const { clock, sql, post, server } = await startMailing();
const zoe = 'zoe@quill.example';

/** The part of a mail that calendars read. */
const calendarIn = ({ raw }: Came) => {
  const boundaryOf = /^Content-Type: (text\/calendar[^\r]*(?:\r\n [^\r]*)*)\r\n/m.exec(raw);
  const begin = raw.indexOf(boundaryOf?.[0] ?? 'no calendar');
  const body = raw.indexOf('\r\n\r\n', begin) + 4;
  const head = raw.slice(begin, body);
  const text = raw.slice(body, raw.indexOf('\r\n--', body));
  const decoded = /quoted-printable/i.test(head)
    ? Buffer.from(
        text
          .replaceAll(/=\r\n/g, '')
          .replaceAll(/=([\dA-F]{2})/g, (_, code) =>
            String.fromCharCode(Number.parseInt(code, 16)),
          ),
        'latin1',
      )
    : Buffer.from(text, /base64/i.test(head) ? 'base64' : 'utf8');
  const content = decoded.toString();
  return { type: boundaryOf?.[1] ?? '', content };
};

/** The same event as two other programs read it. They must agree. */
const readBy = (mail: Came) => {
  const { type, content } = calendarIn(mail);
  const root = new ICAL.Component(ICAL.parse(content));
  const [part, ...others] = root.getAllSubcomponents('vevent');
  expect(others).toEqual([]);
  const event = new ICAL.Event(part as ICAL.Component);
  const method = String(root.getFirstPropertyValue('method'));
  expect(type).toContain(`method=${method}`);
  const [foreign] = Object.values(nodeIcal.sync.parseICS(content)).filter(
    (one) => one?.type === 'VEVENT',
  ) as VEvent[];
  const start = event.startDate.toJSDate();
  expect(foreign?.uid).toBe(event.uid);
  expect(String(foreign?.summary)).toBe(event.summary);
  if (!event.startDate.isDate) expect(foreign?.start.getTime()).toBe(start.getTime());
  expect(String(foreign?.sequence ?? 0)).toBe(String(event.sequence ?? 0));
  return {
    method,
    uid: event.uid,
    sequence: event.sequence ?? 0,
    title: event.summary,
    start: event.startDate.isDate ? event.startDate.toString() : start.toISOString(),
    end: event.endDate.isDate ? event.endDate.toString() : event.endDate.toJSDate().toISOString(),
    organizer: String(part?.getFirstPropertyValue('organizer')).toLowerCase(),
    attendees: event.attendees.map((one) => String(one.getFirstValue()).toLowerCase()),
    status: String(part?.getFirstPropertyValue('status')),
    names: part?.getAllProperties().map(({ name }) => name) ?? [],
  };
};

const ready = async () => {
  const firm = await makeFirm(server);
  await untilMailing(sql, clock, firm.id);
  const { body } = await firm.owner.post('/v1/matters', {
    title: 'Secret settlement of Rook',
    practiceAreaId: firm.practiceAreas.Family?.id,
    openDate: '2026-01-01',
  });
  const matter = body.data as { id: string; publicId: string };
  const events = async (fields: object) =>
    (await firm.owner.post('/v1/calendar-events', { matterId: matter.id, ...fields })).body
      .data as { id: string };
  const change = (id: string, fields: object) =>
    firm.owner.patch(`/v1/calendar-events/${id}`, fields);
  const begun = post.mails.length;
  /** The mails that came to somebody since, once none is waiting. */
  const mailsTo = async (address: string) => {
    await until(
      async () =>
        (await sql`select from mail where firm_id = ${firm.id} and state = 'queued'`).length === 0,
    );
    return post.mails.slice(begun).filter(({ to }) => to[0] === address);
  };
  return { firm, matter, events, change, mailsTo };
};

const subjectsOf = (mails: readonly Came[]) => mails.map(({ headers }) => headers.get('subject'));

const year = new Date().getUTCFullYear() + 1;
const hearing = {
  title: 'Hearing; room 4, first floor',
  startsAt: `${year}-12-14T18:00:00.000Z`,
  endsAt: `${year}-12-14T19:30:00.000Z`,
};

describe('An invitation to an event', () => {
  test('goes to everyone at it when it is made, and again when it is moved; both parsers read it, with one UID and a rising SEQUENCE', async () => {
    const { firm, matter, events, change, mailsTo } = await ready();
    const { id } = await events({ ...hearing, guests: [attorney, zoe] });
    for (const address of [attorney, zoe]) {
      const [mail, ...more] = await mailsTo(address);
      expect(more).toEqual([]);
      expect(readBy(mail as Came)).toMatchObject({
        method: 'REQUEST',
        uid: `event-${id}@matterhorn`,
        sequence: 0,
        title: hearing.title,
        start: hearing.startsAt,
        end: hearing.endsAt,
        organizer: 'mailto:office@harrow.example',
        attendees: [`mailto:${address}`],
        status: 'CONFIRMED',
      });
    }
    await change(id, {
      startsAt: `${year}-12-15T18:00:00.000Z`,
      endsAt: `${year}-12-15T19:30:00.000Z`,
    });
    const [first, moved, ...more] = (await mailsTo(zoe)).map(readBy);
    expect(more).toEqual([]);
    expect(moved).toMatchObject({ method: 'REQUEST', start: `${year}-12-15T18:00:00.000Z` });
    expect(moved?.uid).toBe(String(first?.uid));
    expect(moved?.sequence).toBeGreaterThan(first?.sequence ?? 99);
    expect(subjectsOf(await mailsTo(zoe))).toEqual([
      `Invitation: ${hearing.title}`,
      `Changed: ${hearing.title}`,
    ]);
    // Saved again unchanged, it is nobody's news.
    await change(id, { title: hearing.title });
    expect(await mailsTo(zoe)).toHaveLength(2);

    // A guest from outside is told the event and nothing else.
    const [told] = await mailsTo(zoe);
    const calendar = calendarIn(told as Came).content;
    for (const secret of ['Rook', matter.publicId, matter.id, attorney]) {
      expect(told?.text).not.toContain(secret);
      expect(calendar).not.toContain(secret);
    }
    expect(told?.headers.has('list-unsubscribe')).toBe(false);
    expect(readBy(told as Came).names.sort()).toEqual(
      [
        'attendee',
        'dtend',
        'dtstamp',
        'dtstart',
        'organizer',
        'sequence',
        'status',
        'summary',
        'uid',
      ].sort(),
    );
    // A colleague's notice is not a second mail, and the one of the former time is gone from the inbox.
    const notices = await sql`
      select from notification where firm_id = ${firm.id} and kind = 'event.invited'
        and replaced_by_id is null`;
    expect(notices).toHaveLength(1);
  });

  test('is taken back when the event is cancelled, or when its guest is taken off; who is added is invited', async () => {
    const { firm, events, change, mailsTo } = await ready();
    const { id } = await events({ ...hearing, guests: [attorney, zoe] });
    await mailsTo(zoe);
    await change(id, { guests: [attorney, bookkeeper] });
    const methods = async (address: string) =>
      (await mailsTo(address)).map((mail) => readBy(mail).method);
    expect(await methods(zoe)).toEqual(['REQUEST', 'CANCEL']);
    expect(await methods(bookkeeper)).toEqual(['REQUEST']);
    expect(await methods(attorney)).toEqual(['REQUEST']);
    const [, taken] = (await mailsTo(zoe)).map(readBy);
    expect(taken).toMatchObject({ uid: `event-${id}@matterhorn`, status: 'CANCELLED' });
    expect(taken?.sequence).toBeGreaterThan(0);
    // The hearing is held, without her.
    expect(subjectsOf(await mailsTo(zoe))[1]).toBe(`No longer invited: ${hearing.title}`);
    expect((await firm.owner.delete(`/v1/calendar-events/${id}`)).status).toBe(200);
    expect(await methods(attorney)).toEqual(['REQUEST', 'CANCEL']);
    expect(await methods(bookkeeper)).toEqual(['REQUEST', 'CANCEL']);
    expect(subjectsOf(await mailsTo(bookkeeper))).toEqual([
      `Invitation: ${hearing.title}`,
      `Cancelled: ${hearing.title}`,
    ]);
    // Who was taken off before hears nothing more.
    expect(await methods(zoe)).toEqual(['REQUEST', 'CANCEL']);
    const sequences = (await mailsTo(bookkeeper)).map((mail) => readBy(mail).sequence);
    expect(sequences[1]).toBeGreaterThan(sequences[0] ?? 99);
  });

  test('is taken back from nobody to whom it was never sent; a colleague is told, and their calendar is asked nothing', async () => {
    const { firm, events, change, mailsTo } = await ready();
    const guests = [attorney, zoe];
    // Made before there was mail.
    await sql`update firm set mails_since = null where id = ${firm.id}`;
    const [early, moved, off] = [
      await events({ ...hearing, title: 'Early', guests }),
      await events({ ...hearing, title: 'Moved', guests }),
      await events({ ...hearing, title: 'Off', guests }),
    ];
    expect(await sql`select from mail where firm_id = ${firm.id}`).toHaveLength(0);
    await sql`update firm set mails_since = moment() where id = ${firm.id}`;
    await firm.owner.delete(`/v1/calendar-events/${early.id}`);
    await change(off.id, { guests: [attorney] });
    expect(await mailsTo(zoe)).toEqual([]);
    const [told, ...others] = await mailsTo(attorney);
    expect([others, subjectsOf(told ? [told] : [])]).toEqual([[], ['Cancelled: Early']]);
    expect(told?.raw).not.toContain('BEGIN:VCALENDAR');
    // Of none is there a line that says that it could not be sent.
    expect(await sql`select from mail where firm_id = ${firm.id} and guest = ${zoe}`).toEqual(
      [] as never,
    );
    // Who was sent it since has it taken back.
    await change(moved.id, { title: 'Moved twice' });
    await mailsTo(zoe);
    await firm.owner.delete(`/v1/calendar-events/${moved.id}`);
    for (const guest of guests) {
      const taken = (await mailsTo(guest)).slice(guest === attorney ? 1 : 0);
      expect(taken.map((mail) => readBy(mail).method)).toEqual(['REQUEST', 'CANCEL']);
    }
    // The mail server has refused her address.
    post.answerWith((to) => (to === zoe ? { code: 550, words: 'No such person' } : 'accept'));
    const refused = await events({ ...hearing, title: 'Refused', guests: [zoe] });
    await mailsTo(zoe);
    post.answerWith(() => 'accept');
    const before = (await mailsTo(zoe)).length;
    await firm.owner.delete(`/v1/calendar-events/${refused.id}`);
    expect(await mailsTo(zoe)).toHaveLength(before);
  });

  test('for a day that a second person has yet to confirm says so to a colleague, and not outside', async () => {
    const { firm, events, change, mailsTo } = await ready();
    const { id } = await events({ title: 'Answer due', startDate: `${year}-12-14` });
    await makeWait(sql, firm, id);
    await change(id, { guests: [attorney, zoe] });
    const [[own], [foreign]] = [await mailsTo(attorney), await mailsTo(zoe)];
    expect(own?.headers.get('subject')).toBe('Invitation: Answer due (not confirmed)');
    expect(own?.text).toContain('The date is not confirmed: a second person must still check it.');
    expect(foreign?.headers.get('subject')).toBe('Invitation: Answer due');
    expect(foreign?.text).not.toContain('not confirmed');
    // A calendar keeps the title: it is not sent anew.
    for (const mail of [own, foreign]) expect(readBy(mail as Came).title).toBe('Answer due');
  });

  test('has its times as each reader has them written: as they chose, else as the firm did', async () => {
    const { firm, events, mailsTo } = await ready();
    await sql`update firm set time_zone = 'America/New_York' where id = ${firm.id}`;
    const chooses = async (who: string, path: string, fields: Record<string, string>) => {
      const answer = await (await visitorOf(server, firm, who)).post(path, fields);
      expect(answer.status).toBe(303);
    };
    const zone = '(Eastern Standard Time)';
    const said = async (address: string) => {
      const text = Buffer.from((await mailsTo(address)).at(-1)?.text ?? '', 'latin1').toString();
      return text.split('\r\n').find((line) => line.endsWith(zone));
    };
    await chooses(attorney, '/settings/me/formats', { clock: '24', dayOrder: 'DMY' });
    const { id } = await events({ ...hearing, guests: [attorney, zoe] });
    const day = new Date(`${year}-12-14T00:00:00Z`).toLocaleDateString('en', {
      weekday: 'long',
      timeZone: 'UTC',
    });
    const usual = `${day}, 14 December ${year}, 13:00–14:30 ${zone}`;
    expect([await said(attorney), await said(zoe)]).toEqual([usual, usual]);
    await chooses(owner, '/settings/firm/formats', { clock: '12', dayOrder: 'MDY' });
    expect((await firm.owner.delete(`/v1/calendar-events/${id}`)).status).toBe(200);
    await events({ ...hearing, guests: [attorney, zoe] });
    expect(await said(attorney)).toBe(usual);
    expect(await said(zoe)).toBe(`${day}, December 14, ${year}, 1:00 – 2:30 PM ${zone}`);
  });

  test('has whole days as days', async () => {
    const { events, mailsTo } = await ready();
    await events({
      title: 'Trial',
      startDate: `${year}-12-14`,
      endDate: `${year}-12-16`,
      guests: [zoe],
    });
    const [mail] = await mailsTo(zoe);
    expect(readBy(mail as Came)).toMatchObject({ start: `${year}-12-14`, end: `${year}-12-17` });
    expect(mail?.text).toContain('14');
  });

  test('goes to no colleague who wants no mail of events, to nobody twice, and to nobody of an event that is over', async () => {
    const { firm, events, mailsTo } = await ready();
    const set = (email: string, kind: string, way: string) =>
      firm.command(['notify', 'set', '--member', email, kind, way]);
    await set(attorney, 'event.invited', 'off');
    await set(bookkeeper, 'event.invited', 'inbox');
    const { id } = await events({
      ...hearing,
      guests: [attorney, bookkeeper, zoe, 'ZOE@quill.example'],
    });
    await events({
      ...hearing,
      title: 'Over',
      startsAt: '2025-01-01T10:00:00.000Z',
      endsAt: null,
      guests: [zoe],
    });
    expect(await mailsTo(zoe)).toHaveLength(1);
    expect(await mailsTo(attorney)).toEqual([]);
    expect(await mailsTo(bookkeeper)).toEqual([]);
    expect(id).toBeString();
  });

  test('stands on the page of the contact whom it went to, for who may see what the event is about', async () => {
    const { firm, events, mailsTo } = await ready();
    const person = { firstName: 'Zoe', lastName: 'Quill', emails: ['Zoe@Quill.example'] };
    const contact = (await firm.owner.post('/v1/contacts', person)).body.data.id;
    const lead = (await firm.owner.post('/v1/leads', { lastName: 'Moss' })).body.data.id;
    const pageFor = async (who: string) => {
      const { text } = await (await visitorOf(server, firm, who)).get(`/contacts/${contact}`);
      // Between the comma and the last word is when: a day is written with capitals too.
      return textsIn(text, '#mails li').map((words) => words.replace(/, .*(?=[A-Z])/, ', '));
    };
    expect(await pageFor(owner)).toEqual([]);
    const { id } = await events({ ...hearing, title: 'Hearing', guests: [zoe] });
    expect(await mailsTo(zoe)).toHaveLength(1);
    const ada = await visitorOf(server, firm, owner);
    const secret = { title: 'Secret talk', day: `${year}-12-15`, begins: '09:30', guests: zoe };
    expect((await ada.post(`/calendar/new?lead=${lead}`, secret)).status).toBe(303);
    expect((await firm.owner.delete(`/v1/calendar-events/${id}`)).status).toBe(200);
    expect(await mailsTo(zoe)).toHaveLength(3);
    const ofHearing = ['HearingCancellation, Accepted', 'HearingInvitation, Accepted'];
    expect(await pageFor(attorney)).toHaveLength(3);
    expect((await firm.owner.patch(`/v1/leads/${lead}`, { isPrivate: true })).status).toBe(200);
    expect(await pageFor(attorney)).toEqual(ofHearing);
    expect(await pageFor(owner)).toHaveLength(3);
  });

  test('that cannot be written holds up no other mail of the firm, and is given up after the last try', async () => {
    const { firm, events } = await ready();
    post.answerWith(() => ({ code: 451, words: 'Later' }));
    const [bad, good] = ['Never', 'Hearing'].map((title) =>
      events({ ...hearing, title, guests: [zoe] }),
    );
    const stateOf = async (event: typeof bad) =>
      (
        await sql`select state, tries, words from mail
          where firm_id = ${firm.id} and event_id = ${(await event)?.id ?? ''}`
      )[0];
    await until(
      async () => (await stateOf(bad))?.tries === 1 && (await stateOf(good))?.tries === 1,
    );
    await sql`update calendar_event set starts_at = 'infinity', ends_at = null
      where firm_id = ${firm.id} and id = ${(await bad)?.id ?? ''}`;
    post.answerWith(() => 'accept');
    await clock.step(61);
    await until(async () => (await stateOf(good))?.state === 'accepted');
    const words = 'The mail could not be written.';
    for (const [index, minutes] of [5, 31, 121, 361, 721, 1441].entries()) {
      await until(async () => (await stateOf(bad))?.tries === index + 2);
      expect(await stateOf(bad)).toMatchObject({ state: 'queued', words });
      await clock.step(minutes * 60);
    }
    await until(async () => (await stateOf(bad))?.state === 'given_up');
  });

  test('goes to no colleague who had switched events off before there was mail', async () => {
    const { firm, events, mailsTo } = await ready();
    // As a version without mail left it: the kinds that are on are mailed by default, also where they are off.
    const kinds = ['event.invited', 'event.cancelled'];
    await sql`update member set muted_kinds = ${kinds} where firm_id = ${firm.id}
      and email in (${attorney}, ${bookkeeper})`;
    await sql`update member set mailed_kinds = ${kinds} where firm_id = ${firm.id}`;
    const { id } = await events({ ...hearing, guests: [attorney, zoe] });
    expect(await mailsTo(zoe)).toHaveLength(1);
    expect((await firm.owner.delete(`/v1/calendar-events/${id}`)).status).toBe(200);
    await events({ ...hearing, title: 'Later', guests: [zoe, bookkeeper] });
    expect(await mailsTo(zoe)).toHaveLength(3);
    expect([await mailsTo(attorney), await mailsTo(bookkeeper)]).toEqual([[], []]);
  });

  test('that waits is withdrawn if the event was moved again or cancelled meanwhile: only the newest goes out', async () => {
    const { firm, events, change, mailsTo } = await ready();
    post.answerWith(() => ({ code: 451, words: 'Later' }));
    const { id } = await events({ ...hearing, guests: [zoe] });
    await until(
      async () =>
        (await sql`select from mail where firm_id = ${firm.id} and tries = 1`).length === 1,
    );
    await change(id, { title: 'Moved' });
    await until(
      async () =>
        (await sql`select from mail where firm_id = ${firm.id} and tries = 1`).length === 2,
    );
    post.answerWith(() => 'accept');
    await clock.step(61);
    const mails = await mailsTo(zoe);
    expect(mails.map((mail) => readBy(mail).title)).toEqual(['Moved']);
    // Nothing was told before.
    expect(subjectsOf(mails)).toEqual(['Invitation: Moved']);
    const states = await sql`
      select state from mail where firm_id = ${firm.id} order by event_sequence`;
    expect(states.map(({ state }) => state)).toEqual(['withdrawn', 'accepted']);
  });

  test('to an event about a lead goes to its guests, but not to a colleague who no longer sees the lead', async () => {
    const { firm, change, mailsTo } = await ready();
    await firm.command(['notify', 'set', '--member', attorney, 'event.invited', 'mail']);
    const lead = (await firm.owner.post('/v1/leads', { lastName: 'Quill' })).body.data;
    const guests = [attorney, zoe];
    const made = await firm.owner.post('/v1/calendar-events', {
      leadId: lead.id,
      ...hearing,
      guests,
    });
    for (const guest of guests) {
      const [mail, ...others] = await mailsTo(guest);
      expect(others).toEqual([]);
      expect(readBy(mail as Came)).toMatchObject({ method: 'REQUEST', title: hearing.title });
    }
    await firm.owner.patch(`/v1/leads/${lead.id}`, { isPrivate: true });
    await change(made.body.data.id, { title: 'Zanzibar' });
    expect((await mailsTo(zoe)).map(readBy)).toMatchObject([{ sequence: 0 }, { sequence: 1 }]);
    expect(await mailsTo(attorney)).toHaveLength(1);
    await firm.owner.delete(`/v1/calendar-events/${made.body.data.id}`);
    expect((await mailsTo(zoe)).map((mail) => readBy(mail).method)).toEqual([
      'REQUEST',
      'REQUEST',
      'CANCEL',
    ]);
    expect(await mailsTo(attorney)).toHaveLength(1);
  });

  test('begins no header and no property, whatever the title holds', async () => {
    const { firm, matter, mailsTo } = await ready();
    const ada = await visitorOf(server, firm, owner);
    await ada.post('/calendar/new', {
      title: 'Talk\u2028BEGIN:VEVENT; "x", \\ ATTENDEE:mailto:eve@x.example Ünï',
      matter: matter.publicId,
      day: `${year}-12-14`,
      begins: '10:00',
      guests: zoe,
    });
    const [mail] = await mailsTo(zoe);
    const read = readBy(mail as Came);
    expect(read.attendees).toEqual([`mailto:${zoe}`]);
    expect(read.title).toBe('Talk BEGIN:VEVENT; "x", \\ ATTENDEE:mailto:eve@x.example Ünï');
    expect(mail?.to).toEqual([zoe]);
  });
});

test('Without mail, nobody is invited by mail, and the form says so', async () => {
  const elsewhere = await ownDatabase();
  const rows = connect(elsewhere);
  const plain = await startTestServer({ databaseUrl: elsewhere });
  const firm = await makeFirm(plain);
  const { body } = await firm.owner.post('/v1/matters', {
    title: 'Rook',
    practiceAreaId: firm.practiceAreas.Family?.id,
    openDate: '2026-01-01',
  });
  await firm.owner.post('/v1/calendar-events', {
    matterId: body.data.id,
    ...hearing,
    guests: [zoe],
  });
  expect(await rows`select from mail`).toHaveLength(0);
  const hint = async () => (await (await visitorOf(plain, firm, owner)).get('/calendar/new')).text;
  expect(await hint()).toContain('No invitation is sent.');
  await rows`update firm set mails_since = moment()`;
  expect(await hint()).toContain('Each guest gets an invitation by mail');
  await rows.end();
});

// The last one: the clock stays where this puts it.
describe('An invitation of half a year ago', () => {
  test('is known when the event is moved, though mails are removed after 90 days', async () => {
    const { firm, events, change, mailsTo } = await ready();
    const now = await clock.now();
    const inDays = (days: number) => new Date(now + days * 86_400_000).toISOString();
    const soon = await events({ title: 'Soon', startsAt: inDays(2), guests: [zoe] });
    const { id } = await events({ ...hearing, startsAt: inDays(200), endsAt: null, guests: [zoe] });
    expect(await mailsTo(zoe)).toHaveLength(2);
    await clock.step(180 * 86_400);
    const mailsOf = (eventId: string) =>
      sql`select from mail where firm_id = ${firm.id} and event_id = ${eventId}`;
    await until(async () => (await mailsOf(soon.id)).length === 0);
    expect(await mailsOf(id)).toHaveLength(1);
    await change(id, { startsAt: inDays(201) });
    expect(subjectsOf(await mailsTo(zoe)).at(-1)).toBe(`Changed: ${hearing.title}`);
  });
});
