/** Addresses that refuse mail: who sees it, who is told, and when it is over. */
import { describe, expect, test } from 'bun:test';
import { memberBrowser } from '../support/app.ts';
import { attorney, bookkeeper, makeFirm, owner, startTestServer } from '../support/firm.ts';
import { runningDatabase, startMailing, untilMailing } from '../support/mail.ts';
import { giveNotices } from '../support/notices.ts';
import { untilItDoes as until } from '../support/until.ts';

const { databaseUrl, clock, sql, post, server } = await startMailing();

const words = "550 5.1.1 <b>No such person</b> & no 'box'";
const escaped = "550 5.1.1 &lt;b>No such person&lt;/b> &amp; no 'box'";
const refuse = () => post.answerWith(() => ({ code: 550, words: words.slice(4) }));

const newFirm = async () => {
  const firm = await makeFirm(server);
  await untilMailing(sql, clock, firm.id);
  return firm;
};
type Some = Awaited<ReturnType<typeof newFirm>>;

const areEnded = (firm: Some, count: number) => async () =>
  (await sql`select from mail where firm_id = ${firm.id} and state <> 'queued'`).length === count;

const toldOf = async (firm: Some) => [
  ...(await sql<{ email: string; title: string; text: string }[]>`
    select member.email, notification.title, notification.text from notification
    join member on member.firm_id = notification.firm_id and member.id = notification.member_id
    where notification.firm_id = ${firm.id} and kind = 'mail.refused' order by raised_at`),
];

const pageOf = (firm: Some) => `/settings/members/${firm.members[attorney]}`;
const marked = 'Mail to this address was refused';

describe('An address that the mail server refuses', () => {
  test('is marked with the server’s words, and its owners are told once, however many mails it refuses', async () => {
    const firm = await newFirm();
    refuse();
    await giveNotices(databaseUrl, firm, attorney, [1, 3]);
    await until(areEnded(firm, 3));
    expect(await toldOf(firm)).toEqual([
      { email: owner, title: 'Mail to a member is refused', text: expect.stringContaining(words) },
    ]);
    const [ada, ben, cy] = await Promise.all([
      memberBrowser(server, firm, owner),
      memberBrowser(server, firm, attorney),
      memberBrowser(server, firm, bookkeeper),
    ]);
    for (const { text } of [await ada.get(pageOf(firm)), await ben.get('/settings/me')]) {
      expect(text).toContain(marked);
      expect(text).toContain(escaped);
      expect(text).not.toContain('<b>No such');
    }
    const members = (await ada.get('/settings/members')).text;
    expect(members.split('Cannot be reached by mail')).toHaveLength(2);
    expect((await cy.get('/settings/me')).text).not.toContain(marked);
    const inbox = await ada.get('/inbox');
    expect(inbox.text).toContain('Mail to a member is refused');
    expect(inbox.text).toContain(pageOf(firm));
    expect((await ben.get('/inbox')).text).not.toContain('Mail to a member is refused');
  });

  test('is no longer marked when it accepts a mail; if it refuses again, the owners are told again', async () => {
    const firm = await newFirm();
    const ada = await memberBrowser(server, firm, owner);
    refuse();
    await giveNotices(databaseUrl, firm, attorney, [1, 1]);
    await until(areEnded(firm, 1));
    post.answerWith(() => 'accept');
    await clock.step(60);
    await giveNotices(databaseUrl, firm, attorney, [2, 2]);
    await until(areEnded(firm, 2));
    expect((await ada.get(pageOf(firm))).text).not.toContain(marked);
    refuse();
    await giveNotices(databaseUrl, firm, attorney, [3, 3]);
    await until(areEnded(firm, 3));
    expect((await ada.get(pageOf(firm))).text).toContain(marked);
    expect(await toldOf(firm)).toHaveLength(2);
  });

  test('is no longer marked when the member gets another one, but when they get another name', async () => {
    const firm = await newFirm();
    const ada = await memberBrowser(server, firm, owner);
    refuse();
    await giveNotices(databaseUrl, firm, attorney, [1, 1]);
    await until(areEnded(firm, 1));
    const named = await ada.send(pageOf(firm), { name: 'Benjamin Lane' });
    expect(named.status).toBe(303);
    expect((await ada.get(pageOf(firm))).text).toContain(marked);
    const moved = await ada.send(pageOf(firm), { email: 'ben.lane@harrow.example' });
    expect(moved.status).toBe(303);
    expect((await ada.get(pageOf(firm))).text).not.toContain(marked);
  });

  test('is marked too if it puts a mail off for a day', async () => {
    const firm = await newFirm();
    post.answerWith(() => ({ code: 451, words: 'Greylisted' }));
    await giveNotices(databaseUrl, firm, attorney, [1, 1]);
    const tried = async () =>
      (
        await sql`select tries::int as n from mail where firm_id = ${firm.id} and kind = 'notice'`
      )[0]?.n as number;
    for (const [index, minutes] of [0, 2, 6, 31, 121, 361, 721, 1441].entries()) {
      await clock.step(minutes * 60);
      await until(async () => (await tried()) > index);
      expect(await toldOf(firm)).toHaveLength(index < 7 ? 0 : 1);
    }
    const ada = await memberBrowser(server, firm, owner);
    expect((await ada.get(pageOf(firm))).text).toContain('Greylisted');
  });
});

test('A guest from outside whose address is refused marks no member: the owners are told once for each event', async () => {
  const firm = await newFirm();
  const area = { practiceAreaId: firm.practiceAreas.Family?.id, openDate: '2026-03-03' };
  const matter = (await firm.owner.post('/v1/matters', { title: 'Quill', ...area })).body.data;
  const zoe = 'zoe.quill@outside.example';
  refuse();
  const ada = await memberBrowser(server, firm, owner);
  const invite = async (title: string) => {
    const startsAt = '2031-04-07T10:00:00.000Z';
    const sent = { matterId: matter.id, title, startsAt, guests: [zoe] };
    const made = await firm.owner.post('/v1/calendar-events', sent);
    expect(made.status).toBe(201);
    return made.body.data.id as string;
  };
  const first = await invite('Hearing');
  await until(areEnded(firm, 1));
  const moved = { startsAt: '2031-04-08T10:00:00.000Z' };
  expect((await firm.owner.patch(`/v1/calendar-events/${first}`, moved)).status).toBe(200);
  await until(areEnded(firm, 2));
  const one = {
    email: owner,
    title: 'Mail to a guest of an event is refused',
    text: `${zoe}: ${words}`,
  };
  expect(await toldOf(firm)).toEqual([one]);
  await invite('Second hearing');
  await until(areEnded(firm, 3));
  expect(await toldOf(firm)).toEqual([one, one]);
  const { text } = await ada.get('/inbox');
  expect(text).toContain('Mail to a guest of an event is refused');
  expect(text).not.toContain('<b>No such');
  expect((await ada.get('/settings/members')).text).not.toContain('Cannot be reached by mail');
  const ben = await memberBrowser(server, firm, attorney);
  expect((await ben.get('/inbox')).text).not.toContain(zoe);
});

test('A mail server that cannot be reached marks no address: the owners are told once that mails could not be sent', async () => {
  const { databaseUrl: elsewhere, clock: time, sql: rows } = await runningDatabase();
  // Nothing listens there.
  const environment = { MAIL_URL: 'smtp://127.0.0.1:1', MAIL_FROM: 'office@harrow.example' };
  const away = await startTestServer({ databaseUrl: elsewhere, environment });
  const firm = await makeFirm(away);
  await untilMailing(rows, time, firm.id);
  await giveNotices(elsewhere, firm, attorney, [1, 5]);
  await giveNotices(elsewhere, firm, bookkeeper, [1, 5]);
  // Owners may have the morning's mail of a working day besides.
  const least = async () =>
    (
      await rows`
        select min(tries)::int as n from mail where firm_id = ${firm.id} and kind = 'notice'`
    )[0]?.n as number;
  for (const [index, minutes] of [0, 2, 6, 31, 121, 361, 721, 1441].entries()) {
    await time.step(minutes * 60);
    await until(async () => (await least()) > index);
  }
  const told = await rows`
    select title, text from notification where firm_id = ${firm.id} and kind = 'mail.refused'`;
  expect([...told].map((row) => ({ ...row }))).toEqual([
    { title: 'Mails could not be sent', text: expect.stringContaining('ECONNREFUSED') },
  ]);
  const refused = await rows`
    select from member where firm_id = ${firm.id} and mail_refused_at is not null`;
  expect(refused).toHaveLength(0);
});
