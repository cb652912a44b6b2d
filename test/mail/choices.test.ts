/** How each member is told: at once by mail, in the morning's mail, in the inbox, or not at all. */
import { describe, expect, test } from 'bun:test';
import { memberBrowser } from '../support/app.ts';
import { attorney, makeFirm, owner, usualBlueprint } from '../support/firm.ts';
import { textsIn } from '../support/html.ts';
import { startMailing } from '../support/mail.ts';
import { makeWait } from '../support/ruled-dates.ts';
import { untilItDoes as until } from '../support/until.ts';

// From a Monday on.
const { clock, sql, post, server } = await startMailing({
  from: '2027-01-04T05:00:00Z',
});

type Some = { id: string; members: Record<string, string> };

const newFirm = async (more: object[] = []) => {
  const members = [...usualBlueprint.members, ...more];
  const firm = await makeFirm(server, { members });
  await clock.step(61);
  await until(async () => {
    const [row] = await sql`
      select mails_since from firm where id = ${firm.id} and exists (
        select from job where kind = 'limitation_day' and ref = firm.id)`;
    return Boolean(row?.mails_since);
  });
  return firm;
};

const tell = (firm: Some, kind: string, title: string, email = attorney) => sql`
  insert into notification (firm_id, member_id, kind, cause, title, text, created_at, raised_at)
  values (${firm.id}, ${firm.members[email] ?? ''}, ${kind}, ${title}, ${title}, 'Zoe Quill',
    moment(), moment())`;

const mailsOf = async (firm: Some) =>
  (
    await sql`select state, notification_id from mail where firm_id = ${firm.id}
        and member_id = ${firm.members[attorney] ?? ''}
      order by queued_at, notification_id`
  ).map((row) => `${row.state} ${row.notification_id === null ? 'morning' : 'notice'}`);

/** Steps to a moment, and waits until the firm's morning was looked at. */
const goTo = async (firm: Some, at: string) => {
  await clock.step((Date.parse(at) - (await clock.now())) / 1000);
  await until(
    async () =>
      (
        await sql`select from job where kind = 'limitation_day' and ref = ${firm.id}
          and run_at > moment()`
      ).length === 1 &&
      (await sql`select from mail where firm_id = ${firm.id} and state = 'queued'`).length === 0,
  );
};

describe('How a member is told of a kind', () => {
  test('is chosen at the terminal: off, inbox, digest or mail; on is inbox', async () => {
    const firm = await newFirm();
    const set = (state: string) =>
      firm.command(['notify', 'set', '--member', attorney, 'matter.added', state]);
    for (const [state, way, mails] of [
      ['off', '', 0],
      ['mail', 'mail', 1],
      ['digest', 'digest', 0],
      ['inbox', 'inbox', 0],
      ['on', '', 0],
    ] as const) {
      expect(await set(state)).toEqual({
        email: attorney,
        kind: 'matter.added',
        on: state !== 'off',
        ...(way && { way }),
      });
      const before = (await mailsOf(firm)).length;
      await tell(firm, 'matter.added', `Told ${state}`);
      expect((await mailsOf(firm)).length - before).toBe(mails);
    }
  });

  test('is chosen in My settings, where mail is set up, and for oneself alone', async () => {
    const firm = await newFirm();
    const ben = await memberBrowser(server, firm, attorney);
    expect((await ben.get('/settings/me')).text).toContain('name="ways.limitation.near"');
    const sent = await ben.send('/settings/me/notifications', {
      'ways.limitation.near': 'digest',
      'ways.lead.new': 'mail',
      'ways.task.assigned': 'off',
    });
    expect(sent.status).toBe(303);
    const rows = await sql`
      select email, muted_kinds, mailed_kinds, morning_kinds from member
      where firm_id = ${firm.id} and email in (${owner}, ${attorney}) order by email desc`;
    const [chose, other] = rows;
    expect(chose).toMatchObject({
      muted_kinds: ['task.assigned'],
      morning_kinds: ['limitation.near'],
    });
    expect(chose?.mailed_kinds).toContain('lead.new');
    expect(chose?.mailed_kinds).toContain('account.warned');
    for (const gone of ['limitation.near', 'task.assigned']) {
      expect(chose?.mailed_kinds).not.toContain(gone);
    }
    expect(other).toMatchObject({ muted_kinds: [], morning_kinds: [] });
    const odd = await ben.send('/settings/me/notifications', { 'ways.lead.new': 'shout' });
    expect(odd.status).toBe(422);
    await tell(firm, 'lead.burst', 'New leads');
    await tell(firm, 'account.warned', 'Your password was changed');
    expect(await mailsOf(firm)).toHaveLength(2);
  });
});

describe('The mail of the morning', () => {
  test('comes at 7:00 of the firm on working days, once, with what is new, and only if something is', async () => {
    const firm = await newFirm();
    await firm.command(['notify', 'set', '--member', attorney, 'matter.added', 'digest']);
    await tell(firm, 'matter.added', 'Added to a matter');
    await tell(firm, 'matter.archived', 'Not of this mail');
    await goTo(firm, '2027-01-04T06:59:00Z');
    expect(await mailsOf(firm)).toEqual([]);
    const begun = post.mails.length;
    await goTo(firm, '2027-01-04T07:01:00Z');
    expect(await mailsOf(firm)).toEqual(['accepted morning']);
    // Mails of the firms before may still arrive.
    const mails = post.mails.slice(begun).filter(({ headers }) => {
      return headers.get('subject') === '1 notice this morning';
    });
    expect(mails.map(({ to }) => to)).toEqual([[attorney]]);
    const [mail] = mails;
    expect(mail?.text).toContain('Added to a matter');
    for (const name of ['Quill', 'Not of this mail']) expect(mail?.text).not.toContain(name);

    await goTo(firm, '2027-01-05T07:01:00Z');
    expect(await mailsOf(firm)).toHaveLength(1);
    await goTo(firm, '2027-01-08T12:00:00Z');
    await tell(firm, 'matter.added', 'Friday afternoon');
    await goTo(firm, '2027-01-09T07:01:00Z');
    await goTo(firm, '2027-01-10T07:01:00Z');
    expect(await mailsOf(firm)).toHaveLength(1);
    await goTo(firm, '2027-01-11T07:01:00Z');
    expect(await mailsOf(firm)).toEqual(['accepted morning', 'accepted morning']);
    const last = post.mails.filter(({ to }) => to[0] === attorney).at(-1);
    expect(last?.text).toContain('Friday afternoon');
    expect(last?.text).not.toContain('Added to a matter');
  });

  test('stays away on a holiday of the firm, and brings the next day what is new', async () => {
    await clock.step((Date.parse('2027-01-12T05:00:00Z') - (await clock.now())) / 1000);
    const firm = await newFirm();
    await firm.command(['notify', 'set', '--member', attorney, 'matter.added', 'digest']);
    const ada = await memberBrowser(server, firm, owner);
    const holiday = { name: 'Outing of the firm', day: '2027-01-13' };
    expect((await ada.send('/settings/holidays/own', holiday)).status).toBe(303);
    await goTo(firm, '2027-01-12T07:01:00Z');
    await tell(firm, 'matter.added', 'Added to a matter');
    await goTo(firm, '2027-01-13T07:01:00Z');
    expect(await mailsOf(firm)).toEqual([]);
    await goTo(firm, '2027-01-14T07:01:00Z');
    expect(await mailsOf(firm)).toEqual(['accepted morning']);
  });

  test('and when it was accepted is shown in the receipt of what it brought', async () => {
    await clock.step((Date.parse('2027-01-18T05:00:00Z') - (await clock.now())) / 1000);
    const firm = await newFirm();
    await firm.command(['notify', 'set', '--member', attorney, 'task.assigned', 'digest']);
    await goTo(firm, '2027-01-18T12:00:00Z');
    const made = await firm.owner.post('/v1/tasks', {
      leadId: (await firm.owner.post('/v1/leads', { lastName: 'Quill' })).body.data.id,
      ...{ title: 'Call back', dueDate: '2027-02-01', assigneeId: firm.members[attorney] },
    });
    const mailOf = async () => {
      const ada = await memberBrowser(server, firm, owner);
      const { text } = await ada.get(`/tasks/${made.body.data.id}`);
      return textsIn(text, '#told tbody td')[1];
    };
    expect(await mailOf()).toBe('Mail No mail');
    await goTo(firm, '2027-01-19T07:01:00Z');
    expect(await mailOf()).toMatch(/^Mail In the morning: Accepted \(250\), .*\b07:\d\d$/);
  });

  test('lists its notices, and marks that of a date which a second person has yet to confirm', async () => {
    await clock.step((Date.parse('2027-01-25T05:00:00Z') - (await clock.now())) / 1000);
    const eve = 'eve@reed.example';
    const firm = await newFirm([{ email: eve, name: 'Eve Reed', role: 'Attorney' }]);
    await firm.command(['notify', 'set', '--member', eve, 'task.assigned', 'digest']);
    const { body } = await firm.owner.post('/v1/matters', {
      ...{ practiceAreaId: firm.practiceAreas.Family?.id, openDate: '2026-01-01' },
    });
    for (const title of ['Review', 'Plain']) {
      const made = await firm.owner.post('/v1/tasks', {
        ...{ matterId: body.data.id, title, dueDate: '2092-11-18', assigneeId: firm.members[eve] },
      });
      if (title === 'Review') await makeWait(sql, firm, made.body.data.id);
    }
    const linesOf = async (at: string) => {
      await goTo(firm, at);
      const text = post.mails.findLast(({ to }) => to[0] === eve)?.text ?? '';
      return text.split(/\r?\n/).filter((line) => line.startsWith('- '));
    };
    const [waits, plain] = ['- Task assigned to you (not confirmed)', '- Task assigned to you'];
    expect(await linesOf('2027-01-26T07:01:00Z')).toEqual([waits, plain]);
  });

  test('comes to owners on each working day, and says how the dates stand, also if nothing is new', async () => {
    await clock.step((Date.parse('2027-02-01T05:00:00Z') - (await clock.now())) / 1000);
    // Of several firms, only this one has her.
    const eve = 'eve@lane.example';
    const firm = await newFirm([{ email: eve, name: 'Eve Lane', role: 'Owner' }]);
    /** The mail that the owner got since the last one. */
    const next = async (at: string) => {
      const before = post.mails.length;
      await goTo(firm, at);
      const came = post.mails.slice(before).filter(({ to, text }) => {
        return to[0] === eve && text.includes('overdue');
      });
      expect(came.length).toBeLessThan(2);
      return came[0]?.text;
    };
    const subject = () =>
      post.mails
        .findLast(({ to, text }) => to[0] === eve && text.includes('overdue'))
        ?.headers.get('subject');
    const open = async (solDate: string) => {
      const { body } = await firm.owner.post('/v1/matters', {
        title: 'Quill v. Rook',
        openDate: '2026-01-01',
        practiceAreaId: firm.practiceAreas.Family?.id,
        team: [{ memberId: firm.members[owner] }],
        solDate,
      });
      return body.data.id as string;
    };
    // On the day on which mail is set up, a firm without a limitation date has nothing to say.
    expect(await next('2027-02-01T07:01:00Z')).toBeUndefined();
    const empty = await next('2027-02-02T07:01:00Z');
    expect(subject()).toBe('The dates this morning: nothing overdue');
    expect(empty).toContain('Nothing is overdue. No limitation date in the next fortnight.');
    const lines = (empty ?? '').split(/\r?\n/).filter(Boolean);
    // Nothing but the end of the text comes after it.
    expect(lines[lines.indexOf('If this message stops, ask why.') + 1]).toStartWith('--');
    expect(lines).toContain('If this message stops, ask why.');
    await open('2027-06-01');
    const coming = [await open('2027-02-13'), await open('2027-02-16')];
    const [first] = coming;
    const second = await next('2027-02-03T07:01:00Z');
    expect(second).toContain(
      'Nothing is overdue. 2 dates in the next fortnight; 2 not acknowledged.',
    );
    expect(subject()).toBe('The dates this morning: nothing overdue, 2 not acknowledged');
    for (const name of ['Quill', 'Rook', 'M-2026']) expect(second).not.toContain(name);
    await until(
      async () =>
        (await sql`select distinct matter_id from receipt where matter_id in ${sql(coming)}`)
          .length === 2,
    );
    await sql`update receipt set acknowledged_at = moment() where firm_id = ${firm.id}`;
    expect(await next('2027-02-04T07:01:00Z')).toContain(
      'Nothing is overdue. 2 dates in the next fortnight; all acknowledged.',
    );
    await sql`update matter set sol_date = '2027-02-01' where id = ${first ?? ''}`;
    expect(await next('2027-02-05T07:01:00Z')).toContain(
      '1 limitation date is overdue. 1 date in the next fortnight; acknowledged.',
    );
    expect(subject()).toBe('The dates this morning: 1 overdue');
    expect(await next('2027-02-06T07:01:00Z')).toBeUndefined();
    expect(await next('2027-02-07T07:01:00Z')).toBeUndefined();
    expect(await next('2027-02-08T07:01:00Z')).toBeDefined();
  });

  test('leaves out the next steps that nobody answered: owners get each of them by mail at once', async () => {
    await clock.step((Date.parse('2027-03-01T05:00:00Z') - (await clock.now())) / 1000);
    const fay = 'fay@lane.example';
    const firm = await newFirm([{ email: fay, name: 'Fay Lane', role: 'Owner' }]);
    const visitor = await memberBrowser(server, firm, fay);
    const { body } = await firm.owner.post('/v1/leads', { lastName: 'Quill' });
    const set = await visitor.send(`/leads/${body.data.id}`, [
      ['nextTouch', '2027-03-02'],
      ['nextTouch', ''],
    ]);
    expect(set.status).toBe(303);
    // Beside these, the mail of each morning says how the dates stand, and nothing else.
    const morning = 'The dates this morning: nothing overdue';
    const mailed = () =>
      post.mails.filter(({ to, headers }) => to[0] === fay && headers.get('subject') !== morning);
    await goTo(firm, '2027-03-02T07:01:00Z');
    await goTo(firm, '2027-03-03T07:01:00Z');
    expect(mailed()).toEqual([]);
    await goTo(firm, '2027-03-04T07:01:00Z');
    expect(mailed().map(({ headers }) => headers.get('subject'))).toEqual([
      'Not answered: a next step',
    ]);
    expect(mailed()[0]?.text).not.toContain('Quill');
  });

  test('says no word of a lead that became private, before the morning or while its mail was put off', async () => {
    await clock.step((Date.parse('2027-03-08T05:00:00Z') - (await clock.now())) / 1000);
    const [gil, hal] = ['gil@moor.example', 'hal@moor.example'];
    const firm = await newFirm([
      { email: gil, name: 'Gil Moor', role: 'Attorney' },
      { email: hal, name: 'Hal Moor', role: 'Attorney' },
    ]);
    await sql`update firm set mails_name = true where id = ${firm.id}`;
    for (const member of [gil, hal]) {
      await firm.command(['notify', 'set', '--member', member, 'lead.assigned', 'digest']);
      await firm.command(['notify', 'set', '--member', member, 'matter.added', 'digest']);
    }
    // Gil works on the leads, Hal does not any more.
    const leadOf = async (lastName: string) => {
      const { id } = (await firm.owner.post('/v1/leads', { lastName })).body.data;
      await sql`insert into lead_assignee (firm_id, lead_id, member_id)
        values (${firm.id}, ${id}, ${firm.members[gil] ?? ''})`;
      for (const member of [gil, hal]) {
        await sql`
          insert into notification (firm_id, member_id, kind, cause, title, text, created_at, raised_at, record_id)
          values (${firm.id}, ${firm.members[member] ?? ''}, 'lead.assigned', ${`${id} again`},
            'Lead assigned to you', ${lastName}, moment(), moment(), ${id})`;
      }
      return id as string;
    };
    const becomesPrivate = (id: string) => sql`update lead set is_private = true where id = ${id}`;
    const textsTo = (member: string) =>
      post.mails.filter(({ to }) => to[0] === member).map(({ text }) => text);
    await becomesPrivate(await leadOf('Quillington'));
    await goTo(firm, '2027-03-08T07:01:00Z');
    expect(textsTo(gil).join()).toContain('Quillington');
    expect(textsTo(hal)).toEqual([]);

    await goTo(firm, '2027-03-08T12:00:00Z');
    const later = await leadOf('Zanderson');
    await tell(firm, 'matter.added', 'Added to a matter', hal);
    post.answerWith(() => ({ code: 451, words: 'Later' }));
    await clock.step((Date.parse('2027-03-09T07:01:00Z') - (await clock.now())) / 1000);
    const putOff = async () =>
      (
        await sql`select from mail where firm_id = ${firm.id} and kind = 'morning' and tries = 1
          and member_id in (${firm.members[gil] ?? ''}, ${firm.members[hal] ?? ''})`
      ).length === 2;
    await until(putOff);
    await becomesPrivate(later);
    post.answerWith(() => 'accept');
    await goTo(firm, '2027-03-09T07:10:00Z');
    expect(textsTo(gil).join()).toContain('Zanderson');
    expect(textsTo(hal)).toHaveLength(1);
    expect(textsTo(hal).join()).toContain('Added to a matter');
    expect(textsTo(hal).join()).not.toContain('Zanderson');
  });
});
