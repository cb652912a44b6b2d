/** Who was told of a limitation date, who opened it, and who has it: at the doors, with a real mail server. */
import { describe, expect, test } from 'bun:test';
import { attorney, bookkeeper, type Firm, owner, startTestServer } from '../support/firm.ts';
import { partsIn, textIn, textsIn } from '../support/html.ts';
import { startMailServer, untilMailing } from '../support/mail.ts';
import { untilItDoes as until } from '../support/until.ts';
import { visitorOf } from '../support/visitor.ts';
import { firmIn, guardedDatabase, noticesOf, openMatter } from './guarded.ts';

const home = 'https://practice.harrow.example';

const guarded = await guardedDatabase();
const { databaseUrl, sql, put, settled } = guarded;
await guarded.clock.standAt(Date.UTC(2021, 0, 4, 12));
const post = await startMailServer({ user: { name: 'office', password: 'p' } });
const server = await startTestServer({
  databaseUrl,
  environment: { PUBLIC_URL: home, ...post.environment },
});

/** A member at the application's door, whose pages were opened at PUBLIC_URL; signed in whatever the clock says. */
const memberOf = (firm: Firm, email: string) => {
  const get = async (path: string, headers = {}) =>
    (await visitorOf(server, firm, email)).get(path, headers);
  return {
    get,
    post: async (path: string, fields = {}, from = '/') =>
      (await visitorOf(server, firm, email)).post(path, fields, {
        origin: home,
        referer: home + from,
      }),
    /** The lines that a matter's page shows when it renews itself. */
    async lines(id: string) {
      const page = await get(`/matters/${id}`, { 'x-member': String(firm.members[email]) });
      expect(page.status).toBe(200);
      return partsIn(page.text, '#told tbody tr').map((row) => textsIn(row, 'th, td').join(' · '));
    },
  };
};

const newFirm = async () => {
  const firm = await firmIn(server, 'UTC');
  const [ada, ben, cy] = [
    memberOf(firm, owner),
    memberOf(firm, attorney),
    memberOf(firm, bookkeeper),
  ];
  return { firm, ada, ben, cy };
};

const acknowledged = async (matterId: string) => {
  const [row] = await sql`select count(*)::int as count from audit_entry
    where record_kind = 'receipt' and record_id in (select id from receipt where matter_id = ${matterId})`;
  return row?.count as number;
};

describe('The receipt of a limitation date', () => {
  test('says who was told, by mail too, who opened the page, and who has it since when', async () => {
    const { firm, ada, ben } = await newFirm();
    await untilMailing(sql, guarded.clock, firm.id);
    await put(Date.UTC(2021, 2, 3, 9));
    const { id } = await openMatter(firm, '2021-03-08');
    await settled();
    await until(async () => {
      const rows = await sql`select from mail where firm_id = ${firm.id} and state = 'queued'`;
      return rows.length === 0;
    });
    expect(await ada.lines(id)).toEqual([
      'Ben LaneResponsible attorney · Inbox 3 Mar 2021, 09:00 · Mail Accepted (250), 3 Mar 2021, 09:00 · Opened Not opened · Has it Not yet',
      'Ada Harrow, youOwner · Inbox 3 Mar 2021, 09:00 · Mail Accepted (250), 3 Mar 2021, 09:00 · Opened Not opened · Has it Not yet',
    ]);
    // A page that renews itself has opened nothing; Ben himself has, once.
    await put(Date.UTC(2021, 2, 3, 9, 12));
    expect(textsIn((await ben.get(`/matters/${id}`)).text, '#told .tag')).toEqual([
      'Not acknowledged',
    ]);
    await until(async () => (await ada.lines(id))[0]?.includes('09:12') === true);
    await put(Date.UTC(2021, 2, 3, 9, 13));
    await ben.get(`/matters/${id}`);
    expect(await acknowledged(id)).toBe(0);
    const pressed = await ben.post(`/matters/${id}/limitation/acknowledged`, { day: '2021-03-08' });
    expect(pressed.status).toBe(303);
    expect(await ada.lines(id)).toEqual([
      'Ben LaneResponsible attorney · Inbox 3 Mar 2021, 09:00 · Mail Accepted (250), 3 Mar 2021, 09:00 · Opened 3 Mar 2021, 09:12 · Has it since 3 Mar 2021, 09:13',
      'Ada Harrow, youOwner · Inbox 3 Mar 2021, 09:00 · Mail Accepted (250), 3 Mar 2021, 09:00 · Opened Not opened · Has it No longer asked',
    ]);
    const page = (await ada.get(`/matters/${id}`)).text;
    expect(textIn(page, '#told .tag')).toBe('Acknowledged');
    expect(textsIn(page, '.timeline li').join()).toMatch(
      /Ben Lane said “I have it” of the limitation date, 8 Mar 2021/,
    );
  });

  test('is given once: the second press changes nothing, and is no entry of the audit log', async () => {
    await put(Date.UTC(2021, 4, 3, 9));
    const { firm, ben } = await newFirm();
    const { id } = await openMatter(firm, '2021-06-15');
    await settled();
    for (const minute of [1, 2]) {
      await put(Date.UTC(2021, 4, 3, 9, minute));
      const { status } = await ben.post(`/matters/${id}/limitation/acknowledged`, {
        day: '2021-06-15',
      });
      expect(status).toBe(303);
    }
    expect(await acknowledged(id)).toBe(1);
    const [line] = await ben.lines(id);
    expect(line).toEndWith('Has it since 3 May 2021, 09:01');
  });

  test('is asked of those who must know, and of nobody else', async () => {
    await put(Date.UTC(2021, 5, 1, 9));
    const { firm, ada, ben, cy } = await newFirm();
    const { id } = await openMatter(firm, '2021-07-10');
    await settled();
    expect(await ada.lines(id)).toHaveLength(1);
    const day = '2021-07-10';
    for (const [who, status] of [
      [ada, 422],
      [cy, 403],
    ] as const) {
      const answer = await who.post(`/matters/${id}/limitation/acknowledged`, { day });
      expect(answer.status).toBe(status);
    }
    expect((await ada.get(`/matters/${id}`)).text).not.toContain('limitation/acknowledged');
    expect((await ben.get(`/matters/${id}`)).text).toContain('limitation/acknowledged');
    expect(await acknowledged(id)).toBe(0);
  });

  test('is a line also for who has switched the notices off', async () => {
    await put(Date.UTC(2021, 5, 2, 9));
    const { firm, ben } = await newFirm();
    await firm.command(['notify', 'set', '--member', attorney, 'limitation.near', 'off']);
    const { id } = await openMatter(firm, '2021-07-10');
    await settled();
    expect(await noticesOf(firm, attorney)).toEqual([]);
    expect(await ben.lines(id)).toEqual([
      'Ben Lane, youResponsible attorney · Inbox Switched off · Mail No mail · Opened Not opened · Has it Not yet',
    ]);
  });

  test('of a moved date is withdrawn and asked for anew, also if the date comes back', async () => {
    await put(Date.UTC(2021, 6, 1, 9));
    const { firm, ben } = await newFirm();
    const { id } = await openMatter(firm, '2021-07-20');
    await settled();
    const press = (day: string) => ben.post(`/matters/${id}/limitation/acknowledged`, { day });
    await press('2021-07-20');
    expect((await ben.lines(id))[0]).toContain('since');
    const moveTo = async (solDate: string) => {
      const body = { solDate, reason: 'A new fact' };
      expect((await ben.post(`/matters/${id}/limitation`, body)).status).toBe(303);
      await settled();
    };
    await put(Date.UTC(2021, 6, 2, 9));
    await moveTo('2021-08-01');
    expect((await ben.lines(id))[0]).toEndWith('Not yet');
    const page = (await ben.get(`/matters/${id}`)).text;
    expect(textsIn(page, '#told .fold li')).toEqual([
      '30 days before Tue 20 Jul 2021Ben Lane, 1 Jul 2021, 09:00 Withdrawn 2 Jul 2021, 09:00: the date was changed',
    ]);
    // The press of who still looks at the old date is refused, and says so.
    const stale = await press('2021-07-20');
    expect(stale.status).toBe(422);
    expect(stale.text).toContain('The limitation date has changed. Look at it again.');
    await moveTo('2021-07-20');
    expect((await ben.lines(id))[0]).toEndWith('Not yet');
    await press('2021-07-20');
    expect((await ben.lines(id))[0]).toContain('since');
  });

  test('of a date that is met, or of an archived or deleted matter, is asked for no more', async () => {
    await put(Date.UTC(2021, 7, 2, 9));
    const { firm, ada, ben } = await newFirm();
    const matters = await Promise.all([1, 2, 3].map(() => openMatter(firm, '2021-09-10')));
    await settled();
    const [met, archived, deleted] = matters.map(({ id }) => id) as [string, string, string];
    expect((await ben.post(`/matters/${met}/limitation/met`, { metOn: '2021-08-02' })).status).toBe(
      303,
    );
    await firm.owner.patch(`/v1/matters/${archived}`, { status: 'ARCHIVE' });
    await firm.owner.delete(`/v1/matters/${deleted}`);
    for (const [id, why] of [
      [met, 'the date was met'],
      [archived, 'the matter was archived'],
    ] as const) {
      const { text } = await ada.get(`/matters/${id}`);
      expect(textIn(text, '#told .lead')).toBe('Nobody is asked now.');
      expect(textIn(text, '#told .fold li')).toEndWith(why);
      const press = await ben.post(`/matters/${id}/limitation/acknowledged`, { day: '2021-09-10' });
      expect(press.status).toBe(422);
    }
    const gone = await ben.post(`/matters/${deleted}/limitation/acknowledged`, {
      day: '2021-09-10',
    });
    expect(gone.status).toBe(404);
    const open = await sql`select from receipt where firm_id = ${firm.id} and withdrawn_at is null`;
    expect(open).toHaveLength(0);
    // Open again, it asks again.
    await ben.post(`/matters/${met}/limitation/not-met`);
    await settled();
    expect((await ben.lines(met))[0]).toEndWith('Not yet');
  });

  test('of a date that is met while its mail waits is not asked for by that mail', async () => {
    await put(Date.UTC(2021, 9, 4, 9));
    const { firm, ben } = await newFirm();
    await untilMailing(sql, guarded.clock, firm.id);
    post.answerWith(() => ({ code: 451, words: 'Later.' }));
    const [met, stands] = [
      await openMatter(firm, '2021-11-20'),
      await openMatter(firm, '2021-11-21'),
    ];
    await settled();
    const states = async () =>
      (
        await sql`select notification.record_id::text as of, mail.state, mail.tries from mail
          join notification on notification.firm_id = mail.firm_id and notification.id = mail.notification_id
          where mail.firm_id = ${firm.id} and notification.kind = 'limitation.near'`
      ).map(({ of, state, tries }) => [of === met.id ? 'met' : 'stands', state, tries]);
    // A rest of the sender ends, and none is tried a second time: no try is under way when the date is met.
    let seconds = 0;
    await until(async () => {
      if (seconds < 50) await guarded.clock.step(1);
      seconds += 1;
      const all = await states();
      return all.length === 2 && all.every(([, , tries]) => Number(tries) > 0);
    });
    await ben.post(`/matters/${met.id}/limitation/met`, { metOn: '2021-10-04' });
    const before = post.mails.length;
    post.answerWith(() => 'accept');
    // Both are due, and a rest of the sender ends; no mail falls due a second time while it is sent.
    await guarded.clock.step(61);
    let more = 0;
    await until(async () => {
      if (more < 50) await guarded.clock.step(1);
      more += 1;
      return !(await states()).some(([, state]) => state === 'queued');
    });
    expect((await states()).map((one) => one.slice(0, 2)).sort()).toEqual([
      ['met', 'withdrawn'],
      ['stands', 'accepted'],
    ]);
    const told = post.mails.slice(before).filter(({ raw }) => raw.includes('Limitation date'));
    expect(told.filter(({ raw }) => raw.includes(stands.id))).toHaveLength(1);
    expect(told.filter(({ raw }) => raw.includes(met.id))).toEqual([]);
  });

  test('is given from the inbox too, which offers it only while it is asked for', async () => {
    await put(Date.UTC(2021, 8, 1, 9));
    const { firm, ben } = await newFirm();
    const { id, publicId } = await openMatter(firm, '2021-10-10');
    await settled();
    const [button] = partsIn((await ben.get('/inbox')).text, 'form[action$="acknowledged"]');
    expect(button?.getAttribute('action')).toBe(`/matters/${id}/limitation/acknowledged`);
    const answer = await ben.post(
      `/matters/${id}/limitation/acknowledged`,
      { day: '2021-10-10' },
      '/inbox',
    );
    expect([answer.status, answer.location]).toEqual([303, '/inbox']);
    expect(publicId).toBeString();
    for (const path of ['/inbox', '/']) {
      expect((await ben.get(path)).text).not.toContain('limitation/acknowledged');
    }
  });
});
