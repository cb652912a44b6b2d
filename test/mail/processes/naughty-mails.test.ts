/** Whatever text people give as a title or a name: a mail that names it is one whole mail, with our headers alone. */
import { expect, test } from 'bun:test';
import ICAL from 'ical.js';
import PostalMime from 'postal-mime';
import { cutName } from '../../../src/base/short-text.ts';
import { letterOfEvent } from '../../../src/mail/event.ts';
import { letterOfLink, letterOfMorning } from '../../../src/mail/letter.ts';
import { sendLetter } from '../../../src/mail/transport.ts';
import { severalAtOnce, wholeMilliseconds } from '../../api/corpus/naughty.ts';
import { naughtyStrings } from '../../api/corpus/strings.ts';
import { attorney, makeFirm } from '../../support/firm.ts';
import { textIn } from '../../support/html.ts';
import { strangeIn } from '../../support/inert.ts';
import { type Came, startMailing, startMailServer, untilMailing } from '../../support/mail.ts';
import { untilItDoes as until } from '../../support/until.ts';

const publicUrl = 'https://practice.harrow.example';
const from = 'office@harrow.example';
const zoe = 'zoe@quill.example';

const ours = [
  ...['auto-submitted', 'content-type', 'date', 'from', 'message-id', 'mime-version', 'subject'],
  ...['to', 'x-auto-response-suppress'],
].join();
const properties = [
  ...['attendee', 'dtend', 'dtstamp', 'dtstart', 'organizer', 'sequence', 'status', 'summary'],
  'uid',
].join();

/** A text as mails show it: what nobody sees in it is a blank. */
const plain = (text: string | undefined) => (text ?? '').replaceAll(/[\p{C}\s]+/gu, ' ').trim();

/** What is wrong with a mail that names this text, at the end of its subject and in its body, as other programs read it. */
const faultsOf = async ({ to, raw }: Came, name: string, subject = name): Promise<string[]> => {
  const read = await PostalMime.parse(raw);
  const head = raw.slice(0, raw.indexOf('\r\n\r\n'));
  const html = String(read.html);
  const keys = read.headers.map(({ key }) => key).filter((key) => key !== 'list-unsubscribe');
  const faults = {
    'several recipients': to.length !== 1 || read.to?.length !== 1 || read.cc || read.bcc,
    'other headers': keys.toSorted().join() !== ours,
    'a head that is not ASCII': /[^\t\r\n -~]/.test(head),
    'a line that ends in its own way': /[^\r]\n|\r(?!\n)/.test(raw),
    'a long line': raw.split('\r\n').some((line) => Buffer.byteLength(line) > 998),
    'another subject': !plain(read.subject).endsWith(plain(subject)),
    'another text': !plain(read.text).includes(plain(name)),
    'another HTML': !plain(textIn(html, 'body')).includes(plain(name)),
    'strange HTML': (await strangeIn(html)).some((found) => !/^(body|ul) style$/.test(found)),
    'a strange file': read.attachments.length > 2,
  };
  for (const { content } of read.attachments) {
    const root = new ICAL.Component(ICAL.parse(new TextDecoder().decode(content as ArrayBuffer)));
    const [event, ...others] = root.getAllSubcomponents();
    const names = event
      ?.getAllProperties()
      .map((property) => property.name)
      .toSorted();
    if (others.length > 0 || names?.join() !== properties) faults['a strange file'] = true;
    const summary = String(event?.getFirstPropertyValue('summary'));
    if (plain(summary) !== plain(subject)) faults['another subject'] = true;
  }
  return Object.entries(faults).flatMap(([fault, is]) =>
    is ? `${fault}: ${JSON.stringify(name).slice(0, 100)}` : [],
  );
};

test(
  'each naughty string as the title of an event and as the name of a lead',
  async () => {
    const { clock, sql, post, server } = await startMailing({
      environment: { PUBLIC_URL: publicUrl },
    });
    const firm = await makeFirm(server);
    await untilMailing(sql, clock, firm.id);
    await sql`update firm set mails_name = true where id = ${firm.id}`;
    const matter = await firm.owner.post('/v1/matters', {
      ...{ practiceAreaId: firm.practiceAreas.Family?.id, openDate: '2026-01-01' },
    });
    const time = { startsAt: '2095-05-03T18:00:00.000Z', endsAt: '2095-05-03T19:00:00.000Z' };
    let made = 0;
    await severalAtOnce(naughtyStrings, async (naughty) => {
      const event = { matterId: matter.body.data.id, title: naughty, ...time, guests: [zoe] };
      for (const { status } of [
        await firm.owner.post('/v1/calendar-events', event),
        await firm.owner.post('/v1/leads', { lastName: naughty }),
      ]) {
        expect([201, 400]).toContain(status);
        if (status === 201) made += 1;
      }
    });
    expect(made).toBeGreaterThan(1000);
    // One each: assigned by a member, so many at once would be one notice.
    await sql`
      insert into notification (firm_id, member_id, kind, cause, title, text, created_at, raised_at, record_id)
      select lead.firm_id, ${firm.members[attorney] ?? ''}, 'lead.assigned', lead.id, 'Lead assigned to you',
        contact.name, moment(), moment(), lead.id
      from lead join contact on contact.firm_id = lead.firm_id and contact.id = lead.contact_id
      where lead.firm_id = ${firm.id}`;
    await until(
      async () => (await sql`select from mail where state = 'queued' limit 1`).length === 0,
    );
    const named = await sql<{ id: string; name: string }[]>`
      select mail.id::text as id, coalesce(event.title, notification.text) as name from mail
      left join calendar_event event on event.firm_id = mail.firm_id and event.id = mail.event_id
      left join notification on notification.firm_id = mail.firm_id and notification.id = mail.notification_id
      where mail.state = 'accepted' and mail.kind <> 'morning'`;
    expect(named).toHaveLength(made);
    const names = new Map(named.map(({ id, name }) => [`<${id}@harrow.example>`, name]));
    const came = post.mails.flatMap((mail) => {
      const name = names.get(mail.headers.get('message-id') ?? '');
      return name === undefined ? [] : { mail, name };
    });
    expect(came).toHaveLength(made);
    const faults = await Promise.all(came.map(({ mail, name }) => faultsOf(mail, name)));
    expect(faults.flat()).toEqual([]);
  },
  wholeMilliseconds,
);

test(
  'each naughty string as the name of the firm, and in the list of a morning',
  async () => {
    const post = await startMailServer();
    const account = {
      ...{ host: post.host, port: post.port, security: 'starttls' as const, from },
      signIn: { by: 'nothing' as const },
    };
    const notice = {
      ...{ kind: 'lead.assigned' as const, recordId: crypto.randomUUID(), waiting: 0 },
      ...{ title: 'Lead assigned to you', mailsName: true, total: 2 },
    };
    const event = {
      ...{ id: crypto.randomUUID(), address: zoe, isMember: false, method: 'REQUEST' as const },
      ...{ sequence: 0, title: 'Hearing', firstDay: null, lastDay: null, isWaiting: false },
      ...{ startsAt: '2095-05-03T18:00:00.000Z', endsAt: '2095-05-03T19:00:00.000Z' },
      ...{
        isInvited: false,
        mayHaveIt: true,
        isCancelled: false,
        timeZone: 'America/New_York',
        formats: {},
      },
      now: '2026-01-01T00:00:00.000Z',
    };
    const faults: string[] = [];
    await severalAtOnce(naughtyStrings, async (naughty) => {
      const text = cutName(naughty);
      if (!text) return;
      const notices = [
        { ...notice, text },
        { ...notice, text: 'Zoe Quill' },
      ];
      for (const [letter, subject] of [
        [letterOfEvent({ ...event, firmName: text }, from, publicUrl), 'Hearing'],
        [
          letterOfLink({ firmName: text, purpose: 'INVITE' }, zoe, `${publicUrl}/welcome/t`),
          'invites you to Matterhorn',
        ],
        [letterOfMorning(notices, zoe, publicUrl), '2 notices this morning'],
      ] as const) {
        const messageId = `<${crypto.randomUUID()}@harrow.example>`;
        const { outcome } = await sendLetter(account, { ...letter, messageId });
        expect(outcome).toBe('accepted');
        const came = post.mails.find(({ headers }) => headers.get('message-id') === messageId);
        faults.push(...(await faultsOf(came as Came, text, subject)));
      }
    });
    expect(faults).toEqual([]);
  },
  wholeMilliseconds,
);
