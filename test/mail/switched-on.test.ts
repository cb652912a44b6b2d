/** Mail that is switched on over a firm at work: nothing is sent for what stood before. */
import { describe, expect, test } from 'bun:test';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { makeInstallationKey } from '../../src/base/installation-key.ts';
import { readSettings } from '../../src/config.ts';
import { startServer } from '../../src/server.ts';
import { memberBrowser } from '../support/app.ts';
import { atEnd } from '../support/at-end.ts';
import { attorney, type Firm, makeFirm, owner } from '../support/firm.ts';
import {
  type MailServer,
  runningDatabase,
  startMailServer,
  untilMailing,
} from '../support/mail.ts';
import { environmentOf } from '../support/roles.ts';
import { untilItDoes as until } from '../support/until.ts';

const folder = mkdtempSync(join(tmpdir(), 'matterhorn-switched-on-'));
atEnd(() => rmSync(folder, { recursive: true }));
const keyFile = join(folder, 'installation.key');
const key = makeInstallationKey(keyFile);
const here = '/settings/mail';
const zoe = 'zoe@quill.example';

const serverOf = (databaseUrl: string, environment: Record<string, string> = {}) => {
  const settings = readSettings({
    RATE_LIMIT: 'off',
    DRAIN_SECONDS: '0',
    ...environment,
    ...environmentOf(databaseUrl),
  });
  const at = { host: '127.0.0.1', port: 0 };
  const started = startServer(settings.database ?? '', settings, at, { key, keyFile });
  let isStopped = false;
  const stop = async () => {
    if (!isStopped) await started.stop();
    isStopped = true;
  };
  atEnd(stop);
  return { url: started.url, databaseUrl, stop };
};
type Started = ReturnType<typeof serverOf>;

/** A server without mail on a database of its own, on a Monday at six, and a mail server that nobody knows yet. */
const ready = async () => {
  const { databaseUrl, clock, sql } = await runningDatabase('2027-01-04T06:00:00Z');
  const [post, server] = [await startMailServer(), serverOf(databaseUrl)];
  const firm = await makeFirm(server);
  /** Steps to a moment, and waits until the firm's morning was looked at and nothing is left to do. */
  const goTo = async (at: string) => {
    await clock.step((Date.parse(at) - (await clock.now())) / 1000);
    await until(async () => {
      const due = await sql`select from job where dead_at is null and run_at <= moment()`;
      const mornings =
        await sql`select from job where kind = 'limitation_day' and ref = ${firm.id}`;
      const waiting = await sql`select from mail where state = 'queued'`;
      return due.length === 0 && mornings.length === 1 && waiting.length === 0;
    });
  };
  /** All mails of the firm: to whom, and what each brings. */
  const mails = async () =>
    (
      await sql`
        select coalesce(member.email, mail.guest) as address, mail.kind, notification.kind as notice,
          event.title, mail.event_method as method
        from mail
        left join member on member.firm_id = mail.firm_id and member.id = mail.member_id
        left join notification on notification.firm_id = mail.firm_id
          and notification.id = mail.notification_id
        left join calendar_event event on event.firm_id = mail.firm_id and event.id = mail.event_id
        where mail.firm_id = ${firm.id}
        order by mail.queued_at, address, mail.kind, notification.kind`
    ).map(({ address, kind, notice, title, method }) =>
      [address, kind, notice, method, title].filter(Boolean).join(' '),
    );
  await goTo('2027-01-04T07:01:00Z');
  return { databaseUrl, clock, sql, post, server, firm, goTo, mails };
};
type Ready = Awaited<ReturnType<typeof ready>>;

const switchOn = async (server: Started, firm: Firm, { host, port }: MailServer) => {
  const ada = await memberBrowser(server, firm, owner);
  const saved = await ada.send(here, {
    ...{ host, port: String(port), security: 'starttls', from: 'office@harrow.example' },
    signsInBy: 'nothing',
  });
  expect(saved.status).toBe(303);
};

/** How mail is switched on. Gives the server that the firm is then at. */
const ways = {
  'under Settings, Mail': async ({ server, firm, post }: Ready): Promise<Started> => {
    await switchOn(server, firm, post);
    return server;
  },
  'by MAIL_URL at a start of the server': async ({
    databaseUrl,
    clock,
    sql,
    server,
    firm,
    post,
  }: Ready): Promise<Started> => {
    await server.stop();
    const next = serverOf(databaseUrl, post.environment);
    await untilMailing(sql, clock, firm.id);
    return next;
  },
};

/** What the owner makes and changes at a server; the attorney is told of it. */
const work = async (server: Started, firm: Firm) => {
  const { key: bearer } = await firm.callerOf(owner);
  const send = async (method: string, path: string, body: object) => {
    const answer = await fetch(`${server.url}/v1${path}`, {
      method,
      headers: { authorization: `Bearer ${bearer}`, 'content-type': 'application/json' },
      body: JSON.stringify(body),
    });
    expect(answer.ok).toBe(true);
    return ((await answer.json()) as { data: { id: string } }).data.id;
  };
  const ben = firm.members[attorney];
  return {
    matter: (more: object = {}) =>
      send('POST', '/matters', {
        ...{ title: 'Quill v. Rook', openDate: '2026-01-01', team: [{ memberId: ben }] },
        ...{ practiceAreaId: firm.practiceAreas.Family?.id, ...more },
      }),
    task: (matterId: string) =>
      send('POST', '/tasks', {
        ...{ matterId, title: 'File the answer', dueDate: '2027-01-20', assigneeId: ben },
      }),
    event: (matterId: string, title: string) =>
      send('POST', '/calendar-events', {
        ...{ matterId, title, startsAt: '2027-02-15T10:00:00.000Z', guests: [attorney, zoe] },
      }),
    move: (id: string) =>
      send('PATCH', `/calendar-events/${id}`, { startsAt: '2027-02-16T10:00:00.000Z' }),
    rename: (id: string, title: string) => send('PATCH', `/calendar-events/${id}`, { title }),
  };
};

describe('Mail that is switched on', () => {
  test.each(Object.entries(ways))('%s sends nothing for what stood before', async (_, turnOn) => {
    const firmly = await ready();
    const { sql, server, firm, goTo, mails, post } = firmly;
    await firm.command(['notify', 'set', '--member', attorney, 'matter.added', 'digest']);
    const before = await work(server, firm);
    // A near date that somebody has, and a far one that nobody has yet.
    const matterId = await before.matter({ solDate: '2027-01-13' });
    await before.matter({ solDate: '2027-02-15' });
    await before.task(matterId);
    const stays = await before.event(matterId, 'Stays as it is');
    const moves = await before.event(matterId, 'Moves later');
    await goTo('2027-01-04T12:00:00Z');
    const stood = async () =>
      (
        await sql`select kind from notification where firm_id = ${firm.id}
          and member_id = ${String(firm.members[attorney])} order by kind`
      ).map(({ kind }) => kind);
    const told = await stood();
    for (const kind of ['limitation.near', 'task.assigned', 'event.invited', 'matter.added']) {
      expect(told).toContain(kind);
    }
    const ben = await memberBrowser(server, firm, attorney);
    const said = { day: '2027-01-13' };
    const has = await ben.send(`/matters/${matterId}/limitation/acknowledged`, said);
    expect(has.status).toBe(303);

    const mailing = await turnOn(firmly);
    await goTo('2027-01-04T18:00:00Z');
    expect(await mails()).toEqual([]);
    // One mail of the morning, which says to the owner how the dates stand.
    await goTo('2027-01-05T07:01:00Z');
    expect(await mails()).toEqual([`${owner} morning`]);
    expect(post.mails.map(({ headers }) => headers.get('subject'))).toEqual([
      'The dates this morning: nothing overdue',
    ]);

    const after = await work(mailing, firm);
    const since = (await mails()).length;
    const news = async () => (await mails()).slice(since);
    await after.rename(stays, 'Stays as it is');
    await goTo('2027-01-05T08:00:00Z');
    expect(await news()).toEqual([]);
    await after.move(moves);
    await goTo('2027-01-05T09:00:00Z');
    await after.event(matterId, 'Made later');
    await goTo('2027-01-05T10:00:00Z');
    await after.task(matterId);
    await goTo('2027-01-05T11:00:00Z');
    expect(await news()).toEqual([
      `${attorney} event REQUEST Moves later`,
      `${zoe} event REQUEST Moves later`,
      `${attorney} event REQUEST Made later`,
      `${zoe} event REQUEST Made later`,
      `${attorney} notice task.assigned`,
    ]);
    // To who was never invited by mail, it is an invitation.
    const invited = post.mails.filter(({ to }) => to[0] === zoe);
    expect(invited.map(({ headers }) => headers.get('subject'))).toEqual([
      'Invitation: Moves later',
      'Invitation: Made later',
    ]);
  });

  test('again, after it was off, brings nothing of the time between in the mail of a morning', async () => {
    const { sql, server, firm, goTo, mails, post } = await ready();
    await firm.command(['notify', 'set', '--member', attorney, 'matter.added', 'digest']);
    const { matter } = await work(server, firm);
    const toBen = async () => (await mails()).filter((mail) => mail.startsWith(attorney));
    await switchOn(server, firm, post);
    await matter();
    await goTo('2027-01-05T07:01:00Z');
    expect(await toBen()).toEqual([`${attorney} morning`]);
    const ada = await memberBrowser(server, firm, owner);
    expect((await ada.send(`${here}/remove`, {})).status).toBe(303);
    await matter();
    await goTo('2027-01-06T07:01:00Z');
    const given = await sql`select from notification where firm_id = ${firm.id}
      and kind = 'matter.added' and member_id = ${String(firm.members[attorney])}`;
    expect(given).toHaveLength(2);

    await switchOn(server, firm, post);
    await goTo('2027-01-07T07:01:00Z');
    expect(await toBen()).toEqual([`${attorney} morning`]);
    await matter();
    await goTo('2027-01-08T07:01:00Z');
    expect(await toBen()).toEqual([`${attorney} morning`, `${attorney} morning`]);
    expect(post.mails.findLast(({ to }) => to[0] === attorney)?.headers.get('subject')).toBe(
      '1 notice this morning',
    );
  });
});
