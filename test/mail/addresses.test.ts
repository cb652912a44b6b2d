/** Addresses as odd as the firm admits them: each is one recipient or none, and begins no header. */
import { describe, expect, test } from 'bun:test';
import { domainToASCII } from 'node:url';
import fc from 'fast-check';
import ICAL from 'ical.js';
import PostalMime from 'postal-mime';
import { isEmailAddress } from '../../src/firm/member.ts';
import { sendLetter } from '../../src/mail/transport.ts';
import { makeFirm, owner, startTestServer } from '../support/firm.ts';
import { type Came, runningDatabase, startMailServer, untilMailing } from '../support/mail.ts';
import { untilItDoes as until } from '../support/until.ts';

/** An address as people write it: without the quotes that a mail server needs around an odd name, in the letters of the DNS. */
const plainOf = (address: string) => {
  const at = address.lastIndexOf('@');
  const [name, domain] = [address.slice(0, at), address.slice(at + 1)];
  const isQuoted = /^"(.|\n)*"$/.test(name) && name.length > 1;
  const plain = isQuoted ? name.slice(1, -1).replaceAll(/\\(.)/g, '$1') : name;
  return `${plain}@${domainToASCII(domain) || domain}`;
};

/** For whom a mail is, by its way and by its head as another program reads it. It has no other recipient and no header of theirs. */
const recipientOf = async ({ to, raw }: Came) => {
  const { to: read = [], cc, bcc, headers } = await PostalMime.parse(raw);
  expect([cc, bcc]).toEqual([undefined, undefined]);
  expect(new Set(headers.map(({ key }) => key)).size).toBe(headers.length);
  expect(headers.map(({ key }) => key).filter((key) => !ours.has(key))).toEqual([]);
  expect(to).toHaveLength(1);
  expect(read).toHaveLength(1);
  return { byWay: plainOf(String(to[0])), byHead: plainOf(read[0]?.address ?? '') };
};

const ours = new Set([
  ...['from', 'to', 'subject', 'date', 'message-id', 'mime-version', 'content-type'],
  ...[
    'auto-submitted',
    'x-auto-response-suppress',
    'list-unsubscribe',
    'content-transfer-encoding',
  ],
]);

const post = await startMailServer();

test('whatever is admitted as an address is the one recipient of its mail, or is refused', async () => {
  const account = {
    ...{ host: post.host, port: post.port, security: 'starttls' as const },
    ...{ from: 'office@harrow.example', signIn: { by: 'nothing' as const } },
  };
  const odd = ['zoe', '"', "'", ',', ';', ':', '<', '>', '(', ')', '[', ']', '\\', '+', '.', '%0d'];
  const part = (unit: 'grapheme' | 'grapheme-ascii', more: string[]) =>
    fc
      .array(fc.oneof(fc.constantFrom(...odd, ...more), fc.string({ unit })), { minLength: 1 })
      .map((parts) => parts.join(''));
  const name = part('grapheme', ['bcc:', '=?utf-8?q?', '?=', '|', '`']);
  const domain = fc.oneof(
    { arbitrary: fc.constantFrom('quill.example', 'müller.example'), weight: 3 },
    part('grapheme-ascii', ['quill.example', 'müller.example']),
  );
  const address = fc
    .tuple(name, domain)
    .map((parts) => parts.join('@').trim().toLowerCase())
    .filter(isEmailAddress);
  let accepted = 0;
  await fc.assert(
    fc.asyncProperty(address, async (to) => {
      const begun = post.mails.length;
      const { outcome } = await sendLetter(account, {
        ...{ to, subject: 'Hearing', text: 'Hearing\n', html: '<p>Hearing</p>' },
      });
      const came = post.mails.slice(begun);
      if (outcome === 'refused') return expect(came).toEqual([]);
      expect(outcome).toBe('accepted');
      accepted += 1;
      expect(came).toHaveLength(1);
      const meant = plainOf(to.replaceAll(/^<|>$/g, ''));
      expect(await recipientOf(came[0] as Came)).toEqual({ byWay: meant, byHead: meant });
    }),
    { numRuns: 300 },
  );
  expect(accepted).toBeGreaterThan(30);
});

describe('An odd address', () => {
  const odd = [
    ...["zoe'o@quill.example", 'zoe+court@quill.example', '"zoe.quill"@quill.example'],
    ...[
      'zoe"x@quill.example',
      'zoe,eve@quill.example',
      'zoe;eve@quill.example',
      '<zoe@quill.example>',
    ],
    ...['(zoe)eve@quill.example', 'zoe\\@quill.example', 'bcc:zoe@quill.example'],
  ];
  // nodemailer would write to `"zoe eve"@quill.example`.
  const nobody = ['zoe<eve@quill.example', 'zoe@quill.example>eve'];

  test('of a guest or of a member gets one invitation, which names one attendee; one that cannot be sent to is refused with words', async () => {
    // Before seven in the morning: the owner's mail of a working day would come in between.
    const { databaseUrl, clock, sql } = await runningDatabase('2027-01-04T06:00:00Z');
    const server = await startTestServer({ databaseUrl, environment: post.environment });
    const ben = 'o\'ben,"lane"@harrow.example';
    const firm = await makeFirm(server, {
      members: [
        { email: owner, name: 'Ada Harrow', role: 'Owner' },
        { email: ben, name: 'Ben Lane', role: 'Attorney' },
      ],
    });
    await untilMailing(sql, clock, firm.id);
    const begun = post.mails.length;
    const matter = await firm.owner.post('/v1/matters', {
      ...{ practiceAreaId: firm.practiceAreas.Family?.id, openDate: '2026-01-01' },
    });
    const made = await firm.owner.post('/v1/calendar-events', {
      ...{
        matterId: matter.body.data.id,
        title: 'Hearing',
        startDate: '2095-05-03',
        endDate: '2095-05-03',
      },
      guests: [...odd, ...nobody, ben],
    });
    expect(made.status).toBe(201);
    await until(
      async () =>
        (await sql`select from mail where firm_id = ${firm.id} and state <> 'queued'`).length ===
        odd.length + nobody.length + 1,
    );
    const refused = await sql<{ guest: string; words: string }[]>`
      select guest, words from mail where firm_id = ${firm.id} and state <> 'accepted'`;
    const words = 'An address cannot have < or > within it.';
    expect(
      refused
        .map((row) => ({ ...row }))
        .toSorted((one, other) => (one.guest < other.guest ? -1 : 1)),
    ).toEqual(nobody.toSorted().map((guest) => ({ guest, words })));
    const came = post.mails.slice(begun);
    const found = await Promise.all(came.map(recipientOf));
    expect(found.map(({ byWay }) => byWay).toSorted()).toEqual(
      [...odd, ben].map((to) => plainOf(to.replaceAll(/^<|>$/g, ''))).toSorted(),
    );
    for (const [at, { byWay, byHead }] of found.entries()) {
      expect(byHead).toBe(byWay);
      const { attachments } = await PostalMime.parse(String(came[at]?.raw), {
        attachmentEncoding: 'utf8',
      });
      const [{ content = '' } = {}] = attachments.filter(
        ({ mimeType }) => mimeType === 'application/ics',
      );
      const root = new ICAL.Component(ICAL.parse(String(content)));
      const [event, ...others] = root.getAllSubcomponents('vevent');
      expect(others).toEqual([]);
      expect(event?.getAllProperties('attendee')).toHaveLength(1);
    }
  });
});
