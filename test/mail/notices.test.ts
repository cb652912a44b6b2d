/** Notices that also go out by mail: what is sent, to whom, how often, and how each mail stands. */
import { describe, expect, test } from 'bun:test';
import { wakeRunners } from '../../src/jobs/runner.ts';
import { attorney, makeFirm, owner, startTestServer } from '../support/firm.ts';
import { type Came, runningDatabase, startMailing, untilMailing } from '../support/mail.ts';
import { giveNotices } from '../support/notices.ts';
import { makeWait } from '../support/ruled-dates.ts';
import { untilItDoes as until } from '../support/until.ts';
import { visitorOf } from '../support/visitor.ts';

const { databaseUrl, clock, sql, post, server } = await startMailing({
  // A Saturday: the mail of a working day's morning would come in between.
  from: '2027-01-02T06:00:00Z',
  user: { name: 'office', password: 'p' },
  environment: { PUBLIC_URL: 'https://practice.harrow.example' },
});

let firms = 0;

/** A firm with addresses of its own, whose notices go out by mail. */
const newFirm = async () => {
  firms += 1;
  const domain = `harrow-${firms}.example`;
  const [ada, ben, cy] = [`ada@${domain}`, `ben@${domain}`, `cy@${domain}`];
  const firm = await makeFirm(server, {
    members: [
      { email: ada, name: 'Ada Harrow', role: 'Owner' },
      { email: ben, name: 'Ben Lane', role: 'Attorney' },
      { email: cy, name: 'Cy Moss', role: 'Bookkeeper' },
      { email: owner, name: 'Eve Harrow', role: 'Owner' },
    ],
  });
  await untilMailing(sql, clock, firm.id);
  return { ...firm, ada, ben, cy, domain };
};
type Mailing = Awaited<ReturnType<typeof newFirm>>;

const cameTo = (address: string): Came[] => post.mails.filter(({ to }) => to[0] === address);

type Standing = { state: string; tries: number; code: number | null; words: string | null };

/** How the firm's mails stand, the oldest first. */
const standing = async (firm: { id: string }): Promise<Standing[]> => [
  ...(await sql<Standing[]>`
    select state, tries::int as tries, code, words from mail
    where firm_id = ${firm.id} order by queued_at, notification_id`),
];

const isEnded = async (firm: { id: string }) => {
  const all = await standing(firm);
  return all.length > 0 && all.every(({ state }) => state !== 'queued');
};

const stands = (firm: { id: string }, wanted: Partial<Standing>) => async () =>
  (await standing(firm)).some((one) =>
    Object.entries(wanted).every(([name, value]) => one[name as keyof Standing] === value),
  );

/** A lead of Zoe Quill's that Ada gives to Ben. */
const giveLead = async (firm: Mailing, more: object = {}) => {
  const ada = await firm.callerOf(firm.ada);
  const answer = await ada.post('/v1/leads', {
    firstName: 'Zoe',
    lastName: 'Quill',
    assigneeIds: [firm.members[firm.ben]],
    ...more,
  });
  expect(answer.status).toBe(201);
  return answer.body.data as { id: string; publicId: string };
};

describe('A notice that goes out by mail', () => {
  test('is one mail that names nobody, has one link to PUBLIC_URL, and is kept as accepted', async () => {
    const firm = await newFirm();
    const [notice] = await sql`
      insert into notification (firm_id, member_id, kind, cause, title, text, created_at, raised_at, record_id)
      select ${firm.id}, ${String(firm.members[firm.ben])}, 'matter.added', 'once', 'Added to a matter',
        'M-2026-0007 Quill v. Roe', moment(), moment(), '01a21305-0000-7000-8000-000000000001'
      returning id::text`;
    expect(notice?.id).toBeString();
    await until(() => isEnded(firm));
    expect(await standing(firm)).toEqual([
      { state: 'accepted', tries: 0, code: 250, words: expect.stringContaining('queued as Q') },
    ]);
    const [mail, ...more] = cameTo(firm.ben);
    expect(more).toEqual([]);
    expect(mail?.headers.get('subject')).toBe('Added to a matter');
    expect(mail?.headers.get('to')).toBe(firm.ben);
    expect(mail?.headers.get('auto-submitted')).toBe('auto-generated');
    expect(mail?.headers.get('message-id')).toMatch(/^<[\da-f-]{36}@harrow\.example>$/);
    const links = mail?.text.match(/https?:\/\/[^\s"<>]+/g) ?? [];
    expect(new Set(links)).toEqual(
      new Set([
        'https://practice.harrow.example/settings/me#notifications',
        'https://practice.harrow.example/matters/01a21305-0000-7000-8000-000000000001',
      ]),
    );
    for (const name of ['Quill', 'M-2026', 'Roe', '<img']) expect(mail?.text).not.toContain(name);
  });

  test('says its record in the subject too where the firm lets mails name it; a warning stays a sentence', async () => {
    const firm = await newFirm();
    await sql`update firm set mails_name = true where id = ${firm.id}`;
    await sql`
      insert into notification (firm_id, member_id, kind, cause, title, text, created_at, raised_at, record_id)
      select ${firm.id}, ${String(firm.members[firm.ben])}, kind, kind, title, text, moment(), moment(), record_id::uuid
      from (values
        ('matter.added', 'Added to a matter', 'M-2026-0007 Roe', '01a21305-0000-7000-8000-000000000001'),
        ('task.assigned', '3 tasks assigned to you', 'Open them, the next first', null),
        ('account.warned', 'Your password was changed', 'You were signed out everywhere else.', null))
        as told (kind, title, text, record_id)`;
    await until(async () => cameTo(firm.ben).length >= 3);
    const mails = new Map(cameTo(firm.ben).map((mail) => [mail.headers.get('subject'), mail.text]));
    expect([...mails.keys()].sort()).toEqual([
      '3 tasks assigned to you',
      'Added to a matter: M-2026-0007 Roe',
      'Your password was changed',
    ]);
    const practice = 'https://practice.harrow.example';
    const warned = mails.get('Your password was changed');
    expect(warned).toContain('You were signed out everywhere else.');
    expect(warned).toContain(`Open My settings: ${practice}/settings/me#sessions`);
    const tasks = mails.get('3 tasks assigned to you');
    expect(tasks).toContain(`Open them: ${practice}/inbox`);
    expect(tasks).not.toContain('the next first');
  });

  test('of a date says what to do: to open it and to press, or to open several', async () => {
    const firm = await newFirm();
    const { body } = await firm.owner.post('/v1/matters', {
      practiceAreaId: firm.practiceAreas.Family?.id,
      openDate: '2026-01-01',
    });
    const id = body.data.id as string;
    // What is asked about by none of its dates is past.
    await sql`
      insert into receipt (firm_id, id, matter_id, member_id, day, step, asked_as, asked_at, escalated_on)
      values (${firm.id}, gen_random_uuid(), ${id}, ${String(firm.members[firm.ben])}, '2026-01-02', 0,
        'owner', moment(), '2026-01-01')`;
    await sql`
      insert into notification (firm_id, member_id, kind, cause, title, text, created_at, raised_at, record_id)
      select ${firm.id}, ${String(firm.members[firm.ben])}, kind, case title when 'Limitation date tomorrow' then '1' else '2026-01-01' end, title, '-', moment(), moment(), record_id::uuid
      from (values ('limitation.near', 'Limitation date tomorrow', ${id}::text),
        ('limitation.near', 'Limitation date in 7 days (you stand in for a colleague)', ${id}),
        ('limitation.unheld', 'Not acknowledged: 2 limitation dates, the first tomorrow', null))
        as told (kind, title, record_id)`;
    await until(async () => (await standing(firm)).length >= 3 && (await isEnded(firm)));
    const practice = 'https://practice.harrow.example';
    const plainOf = (subject: string) =>
      cameTo(firm.ben)
        .find(({ headers }) => headers.get('subject') === subject)
        ?.text.replaceAll('\r\n', '\n');
    const open = `Open it: ${practice}/matters/${id}\n\nPress "I have it" there.`;
    expect(plainOf('Limitation date tomorrow')).toContain(
      `\n\nA limitation date is tomorrow.\n\n${open}\n\n`,
    );
    expect(plainOf('Limitation date in 7 days (you stand in for a colleague)')).toContain(
      `\n\nA limitation date is 7 days away (you stand in for a colleague).\n\n${open}\n\n`,
    );
    const several = 'Not acknowledged: 2 limitation dates, the first tomorrow';
    expect(plainOf(several)).toContain(
      `\n\n${several}.\n\nOpen them and press "I have it" for each: ${practice}/inbox\n\n`,
    );
  });

  test('of a date that a second person has yet to confirm says so, in its subject too, and names nothing', async () => {
    const firm = await newFirm();
    post.answerWith(() => ({ code: 451, words: 'Later' }));
    const { body } = await firm.owner.post('/v1/matters', {
      ...{ practiceAreaId: firm.practiceAreas.Family?.id, openDate: '2024-02-29' },
    });
    const [matterId, assigneeId] = [body.data.id as string, firm.members[firm.ben]];
    let review = '';
    for (const title of ['Plain', 'Review']) {
      const task = { matterId, title, dueDate: '2092-11-18', assigneeId };
      review = (await firm.owner.post('/v1/tasks', task)).body.data.id;
    }
    // Both are put off: neither is on its way as it was before.
    await until(async () => {
      const all = await standing(firm);
      return all.length === 2 && all.every(({ tries }) => tries > 0);
    });
    await makeWait(sql, firm, review);
    post.answerWith(() => 'accept');
    await clock.step(61);
    await until(() => cameTo(firm.ben).length >= 2);
    const came = cameTo(firm.ben).map(({ headers, text }) => ({
      subject: headers.get('subject'),
      isSaid: text.includes('The date is not confirmed: a second person must still check it.'),
    }));
    expect(
      came.sort((one, other) => String(one.subject).localeCompare(String(other.subject))),
    ).toEqual([
      { subject: 'Task assigned to you', isSaid: false },
      { subject: 'Task assigned to you (not confirmed)', isSaid: true },
    ]);
    for (const { raw } of cameTo(firm.ben)) expect(raw).not.toContain('Review');
  });

  test('goes only for kinds that are for mail: a date or an assignment, but not a new lead', async () => {
    const firm = await newFirm();
    const lead = await giveLead(firm);
    await clock.step(61);
    wakeRunners();
    const kinds = async () =>
      (await sql`select kind from notification where firm_id = ${firm.id} order by kind`).map(
        ({ kind }) => kind,
      );
    await until(async () => (await kinds()).includes('lead.new'));
    expect(lead.publicId).toBeString();
    const mailed = await sql`
      select notification.kind from mail join notification using (firm_id) where mail.firm_id = ${firm.id}
        and notification.id = mail.notification_id`;
    expect(mailed.map(({ kind }) => kind)).not.toContain('lead.new');
  });

  test('is one mail for all the leads that a colleague assigns together, and none for who does it', async () => {
    const firm = await newFirm();
    const ada = await visitorOf(server, firm, firm.ada);
    const id: string[] = [];
    for (const lastName of ['One', 'Two', 'Three']) {
      id.push((await giveLead(firm, { lastName, assigneeIds: [] })).id);
    }
    const assigneeIds = [String(firm.members[firm.ben]), String(firm.members[firm.ada])];
    // At the application's address.
    const here = { origin: 'https://practice.harrow.example', host: 'practice.harrow.example' };
    const add = { do: 'all-assign:add', id, assigneeIds };
    const sent = await ada.post('/leads?view=list', add, here);
    expect(sent.status).toBe(303);
    await clock.step(11);
    await until(() => isEnded(firm));
    await clock.step(61);
    await until(async () => {
      const left = await sql`select from job where firm_id = ${firm.id} and kind like '%_tell%'`;
      return left.length === 0;
    });
    const subjects = cameTo(firm.ben).map(({ headers }) => headers.get('subject'));
    expect(subjects).toEqual(['Leads assigned to you']);
    expect(cameTo(firm.ben)[0]?.text).toContain('/leads?view=list');
    expect(cameTo(firm.ben)[0]?.text).not.toMatch(/Zoe|One|L-00/);
    expect(cameTo(firm.ada)).toEqual([]);
  });

  test('of a firm without mail makes no mail', async () => {
    const firm = await makeFirm(server);
    await sql`update firm set mails_since = null where id = ${firm.id}`;
    await giveNotices(databaseUrl, firm, attorney, [1, 3]);
    expect(await standing(firm)).toEqual([]);
  });

  test('is tried again after 1, 5 and 30 minutes while the server puts it off, as the same mail', async () => {
    const firm = await newFirm();
    post.answerWith(() => ({ code: 451, words: '4.7.1 Greylisted, try again' }));
    await giveNotices(databaseUrl, firm, firm.ben, [1, 1]);
    await until(stands(firm, { tries: 1 }));
    expect(await standing(firm)).toEqual([
      { state: 'queued', tries: 1, code: 451, words: expect.stringContaining('Greylisted') },
    ]);
    await clock.step(50);
    wakeRunners();
    await Bun.sleep(0);
    for (const [seconds, tries] of [
      [12, 2],
      [245, 3],
    ] as const) {
      expect(await standing(firm)).toMatchObject([{ tries: tries - 1 }]);
      await clock.step(seconds);
      await until(stands(firm, { tries }));
    }
    post.answerWith(() => 'accept');
    await clock.step(1_510);
    await until(() => isEnded(firm));
    expect(await standing(firm)).toMatchObject([{ state: 'accepted', tries: 3 }]);
    const [mail, ...more] = cameTo(firm.ben);
    expect(more).toEqual([]);
    // Mails of the firms before may be tried meanwhile, too.
    const id = mail?.headers.get('message-id');
    expect(post.tries.filter((tried) => tried === id)).toHaveLength(4);
  });

  test('is refused at once by a 5xx, with the server’s words, and not tried again', async () => {
    const firm = await newFirm();
    post.answerWith(() => ({ code: 550, words: '5.1.1 No such person' }));
    await giveNotices(databaseUrl, firm, firm.ben, [1, 1]);
    await until(() => isEnded(firm));
    expect(await standing(firm)).toEqual([
      { state: 'refused', tries: 0, code: 550, words: '550 5.1.1 No such person' },
    ]);
    post.answerWith(() => 'accept');
    await clock.step(86_400);
    await giveNotices(databaseUrl, firm, firm.ben, [2, 2]);
    await until(stands(firm, { state: 'accepted' }));
    expect(cameTo(firm.ben)).toHaveLength(1);
  });

  test('comes twice, as the same mail, only if the server took it and hung up before it said so', async () => {
    const firm = await newFirm();
    post.answerWith((to) =>
      to === firm.ben && cameTo(firm.ben).length === 0 ? 'keep and drop' : 'accept',
    );
    await giveNotices(databaseUrl, firm, firm.ben, [1, 1]);
    await until(stands(firm, { tries: 1 }));
    await clock.step(61);
    await until(() => isEnded(firm));
    const ids = cameTo(firm.ben).map(({ headers }) => headers.get('message-id'));
    expect(ids).toHaveLength(2);
    expect(new Set(ids).size).toBe(1);
    post.answerWith(() => 'accept');
  });

  test('is withdrawn if its member may not see it any more, though it was queued before', async () => {
    const firm = await newFirm();
    post.answerWith(() => ({ code: 451, words: 'Later' }));
    await sql`
      insert into notification (firm_id, member_id, kind, cause, title, text, created_at, raised_at, record_id)
      select ${firm.id}, ${String(firm.members[firm.ben])}, 'lead.assigned', 'once', 'Lead assigned to you',
        'L-0001 Zoe Quill', moment(), moment(), ${(await giveLead(firm, { assigneeIds: [] })).id}`;
    await until(stands(firm, { tries: 1 }));
    await sql`update lead set is_private = true where firm_id = ${firm.id}`;
    post.answerWith(() => 'accept');
    await clock.step(61);
    await until(() => isEnded(firm));
    expect(await standing(firm)).toMatchObject([{ state: 'withdrawn' }]);
    expect(cameTo(firm.ben)).toEqual([]);
  });

  test('can hold whatever people write: no header begins in it', async () => {
    const firm = await newFirm();
    await sql`update firm set mails_name = true where id = ${firm.id}`;
    const title = 'Added\r\nBcc: eve@x.example\r\n\r\n<script>';
    await sql`
      insert into notification (firm_id, member_id, kind, cause, title, text, created_at, raised_at)
      select ${firm.id}, ${String(firm.members[firm.ben])}, 'matter.added', 'once', ${title},
        ${'<img src=x>\r\n.\r\nRCPT TO:<eve@x.example>'}, moment(), moment()`;
    await until(() => isEnded(firm));
    const [mail] = cameTo(firm.ben);
    expect(mail?.to).toEqual([firm.ben]);
    expect(mail?.headers.has('bcc')).toBe(false);
    expect(mail?.headers.get('subject')).toBe('Added Bcc: eve@x.example <script>');
    expect(mail?.text).not.toContain('<p><img');
    expect(mail?.text).toContain('&lt;img src=');
  });
});

describe('While the mail server cannot be reached', () => {
  test('each mail is tried for a day and then given up, and everything else is told as ever', async () => {
    const { databaseUrl: elsewhere, clock: time, sql: rows } = await runningDatabase();
    // Nothing listens there.
    const environment = { MAIL_URL: 'smtp://127.0.0.1:1', MAIL_FROM: 'office@harrow.example' };
    const away = await startTestServer({ databaseUrl: elsewhere, environment });
    const firm = await makeFirm(away);
    await untilMailing(rows, time, firm.id);
    await giveNotices(elsewhere, firm, attorney, [1, 30]);
    const counted = async () =>
      (
        await rows`
        select count(*) filter (where tries >= 1)::int as tried,
          count(*) filter (where state = 'given_up' and words like '%ECONNREFUSED%')::int as given_up,
          count(*) filter (where state = 'queued')::int as queued, max(tries)::int as most
        from mail where firm_id = ${firm.id} and kind = 'notice'`
      )[0];
    await until(async () => (await counted())?.tried === 30);
    // What is not about mail waits for none of it.
    const lead = await firm.owner.post('/v1/leads', { lastName: 'Quill' });
    expect(lead.status).toBe(201);
    await time.step(61);
    await until(
      async () =>
        (await rows`select from notification where firm_id = ${firm.id} and kind = 'lead.new'`)
          .length === 2,
    );
    expect((await counted())?.given_up).toBe(0);
    const least = async () =>
      (
        await rows`
          select min(tries)::int as least from mail where firm_id = ${firm.id} and kind = 'notice'`
      )[0]?.least;
    // A try that came late would put off the next one.
    await until(async () => (await least()) >= 2);
    for (const [tries, minutes] of [5, 30, 120, 360, 720, 1440].entries()) {
      await time.step(minutes * 60);
      await until(async () => (await least()) >= tries + 3);
    }
    expect(await counted()).toMatchObject({ given_up: 30, queued: 0, most: 8 });
    await rows.end();
  });
});
