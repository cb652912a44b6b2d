/** Calendar events about leads: who sees them, and where they go when the lead is hired. */
import { describe, expect, test } from 'bun:test';
import { expectRefusal, totalOf, unknownId } from '../support/expectations.ts';
import { attorney, type Firm, makeFirm, owner, startTestServer } from '../support/firm.ts';
import { textIn, textsIn } from '../support/html.ts';
import { visitorOf } from '../support/visitor.ts';
import { divided, foundBy, hire, inboxOf, inDays, makeLead } from './leads.ts';

const server = await startTestServer();

const noticesOf = async (firm: Firm, email: string) =>
  (await inboxOf(firm, email)).filter(({ kind }) => kind.startsWith('event.'));

const feedOf = async (visitor: Awaited<ReturnType<typeof visitorOf>>) => {
  const { text } = await visitor.post('/settings/me/feed');
  const file = /\/calendar\/feed\/[^"<\s]+/.exec(text)?.[0];
  expect(file).toBeDefined();
  return async () => (await visitor.get(String(file))).text;
};

describe('An event about a lead', () => {
  test('is made, listed, changed and cancelled, and tells its guests', async () => {
    const firm = await makeFirm(server);
    const lead = await makeLead(firm);
    const body = {
      leadId: lead.id,
      title: 'First talk',
      startDate: inDays(1),
      guests: [attorney, 'quill@away.example'],
    };
    const made = await firm.owner.post('/v1/calendar-events', body);
    expect(made.status).toBe(201);
    expect(made.body.data).toMatchObject({
      leadId: lead.id,
      matterId: null,
      title: 'First talk',
      startDate: inDays(1),
    });
    expect(await noticesOf(firm, attorney)).toMatchObject([
      { kind: 'event.invited', text: `First talk (${lead.publicId} Quill)` },
    ]);
    const list = `/v1/calendar-events?leadId=${lead.id}`;
    expect((await firm.owner.get(list)).body.data).toEqual([made.body.data]);
    const path = `/v1/calendar-events/${made.body.data.id}`;
    const moved = await firm.owner.patch(path, { startDate: inDays(2), endDate: inDays(2) });
    expect(moved.body.data).toMatchObject({ startDate: inDays(2), leadId: lead.id });
    const ben = await visitorOf(server, firm, attorney);
    expect((await ben.get(`/calendar/${made.body.data.id}`)).text).toContain(lead.publicId);
    await firm.owner.delete(path);
    expect(await totalOf(firm.owner.get(list))).toBe(0);
    expectRefusal(await firm.owner.get(path), 404, 'not_found');
    expect(await noticesOf(firm, attorney)).toContainEqual(
      expect.objectContaining({
        kind: 'event.cancelled',
        text: `First talk (${lead.publicId} Quill)`,
      }),
    );
    await firm.owner.patch(`/v1/leads/${lead.id}`, { isPrivate: true });
    expect(await noticesOf(firm, attorney)).toEqual([]);
    const { leadId: _, ...about } = body;
    const nothing = await firm.owner.post('/v1/calendar-events', about);
    expectRefusal(nothing, 400, 'invalid_request', 'leadId');
    const unknown = await firm.owner.post('/v1/calendar-events', { ...body, leadId: unknownId });
    expectRefusal(unknown, 404, 'not_found', 'leadId');
  });

  test('is added on the lead’s page, changed and cancelled on its own', async () => {
    const firm = await makeFirm(server);
    const lead = await makeLead(firm);
    const ada = await visitorOf(server, firm, owner);
    const address = `/calendar/new?lead=${lead.id}`;
    expect((await ada.get(`/leads/${lead.id}`)).text).toContain(`href="${address}"`);
    expect((await ada.get(address)).text).toContain(`${lead.publicId}</a> Quill`);
    const added = await ada.post(address, { title: 'Lunch', day: inDays(3), begins: '12:30' });
    expect(added.status).toBe(303);
    expect(added.location).toStartWith(`/leads/${lead.id}`);
    const [event] = (await firm.owner.get(`/v1/calendar-events?leadId=${lead.id}`)).body.data;
    expect((await ada.get(`/leads/${lead.id}`)).text).toContain(`href="/calendar/${event.id}"`);
    const page = (await ada.get(`/calendar/${event.id}`)).text;
    expect(page).toContain(`href="/leads/${lead.id}"`);
    const change = { title: 'Dinner', day: inDays(3), begins: '19:00' };
    expect((await ada.post(`/calendar/${event.id}`, change)).status).toBe(303);
    expect((await ada.get(`/leads/${lead.id}`)).text).toContain('Dinner');
    expect((await ada.post(`/calendar/${event.id}/cancel`)).status).toBe(303);
    expect((await ada.get(`/leads/${lead.id}`)).text).toContain('No events yet.');
  });

  test('on a private lead does not exist for others: in no list, page, feed, search, notice', async () => {
    const firm = await makeFirm(server);
    const secret = await makeLead(firm, { isPrivate: true });
    const ben = await firm.callerOf(attorney);
    const [ada, page] = [
      await visitorOf(server, firm, owner),
      await visitorOf(server, firm, attorney),
    ];
    const feeds = { ada: await feedOf(ada), ben: await feedOf(page) };
    const cursor = (await ben.get('/v1/events')).body.cursor;
    const day = inDays(0);
    const event = { leadId: secret.id, title: 'Zanzibar', startDate: day };
    const refused = await firm.owner.post('/v1/calendar-events', { ...event, guests: [attorney] });
    expectRefusal(refused, 400, 'invalid_request', 'guests');
    const made = await firm.owner.post('/v1/calendar-events', event);
    expect(made.status).toBe(201);
    const { id } = made.body.data;
    const path = `/v1/calendar-events/${id}`;
    const given = await firm.owner.patch(path, { guests: [attorney] });
    expectRefusal(given, 400, 'invalid_request', 'guests');
    // Both boxes of the form send guests: it is said at the one that has her colleague.
    const boxes = { title: 'Mine', day, isWhole: 'on', once: crypto.randomUUID() };
    const stranger = 'quill@away.example';
    const rule =
      'Invite only owners, or people who are assigned to this private lead: not Ben Lane.';
    for (const [sent, box, other] of [
      [{ colleagues: [owner, attorney], guests: stranger }, 'colleagues', 'guests'],
      [{ colleagues: owner, guests: `${stranger}\n${attorney}` }, 'guests', 'colleagues'],
    ] as const) {
      for (const to of [`/calendar/new?lead=${secret.id}`, `/calendar/${id}`]) {
        const again = await ada.post(to, { ...boxes, ...sent } as Record<
          string,
          string | string[]
        >);
        expect(again.status).toBe(422);
        expect(textIn(again.text, `#f-${box}-fault`)).toBe(rule);
        expect(textsIn(again.text, `#f-${other}-fault`)).toEqual([]);
        const links = textsIn(again.text, `.banner a[href="#f-${box}"]`);
        expect(links).toEqual([rule]);
      }
    }
    const none = await ben.get(`/v1/calendar-events/${unknownId}`);
    for (const answer of [
      await ben.get(path),
      await ben.patch(path, { title: 'Mine' }),
      await ben.delete(path),
    ]) {
      expect([answer.status, answer.body]).toEqual([404, none.body]);
    }
    expectRefusal(await ben.post('/v1/calendar-events', event), 404, 'not_found', 'leadId');
    const list = await ben.get(`/v1/calendar-events?leadId=${secret.id}`);
    expectRefusal(list, 404, 'not_found', 'leadId');
    const views = [
      `/calendar?whose=all&day=${day}`,
      `/calendar?view=week&whose=all&day=${day}`,
      `/calendar?view=agenda&whose=all&day=${day}`,
      '/search?q=zanzibar',
    ];
    for (const address of ['/', '/inbox', ...views]) {
      expect((await page.get(address)).text).not.toContain('Zanzibar');
    }
    expect(await feeds.ben()).not.toContain('Zanzibar');
    expect((await page.get(`/calendar/${id}`)).status).toBe(404);
    const sent = { title: 'Mine', day, isWhole: 'on' };
    expect((await page.post(`/calendar/${id}`, sent)).status).toBe(404);
    expect((await page.post(`/calendar/${id}/cancel`)).status).toBe(404);
    expect((await page.post(`/calendar/${id}/acknowledged`, { day })).status).toBe(404);
    expect((await page.get(`/calendar/new?lead=${secret.id}`)).status).toBe(404);
    for (const address of [...views, `/leads/${secret.id}`, `/calendar/${id}`]) {
      expect((await ada.get(address)).text).toContain('Zanzibar');
    }
    // The log is read on when other transactions let it: the owner's answer comes when it has the event.
    const events = async (by: typeof ben, wait: number) => {
      const query = `after=${cursor}&limit=100&wait=${wait}&types=calendar_event.created`;
      const { data } = (await by.get(`/v1/events?${query}`)).body;
      return (data as { data: { id: string } }[]).map((one) => one.data.id);
    };
    expect(await events(firm.owner, 25)).toEqual([id]);
    expect(await events(ben, 0)).toEqual([]);
    // Who is assigned sees the lead, and its events.
    const assign = (email: string) =>
      ada.post(`/leads/${secret.id}/assignees`, { assigneeIds: firm.members[email] ?? '' });
    await assign(attorney);
    expect((await ben.get(path)).status).toBe(200);
    expect((await firm.owner.patch(path, { guests: [attorney] })).status).toBe(200);
    expect(await noticesOf(firm, attorney)).toHaveLength(1);
    expect((await page.get('/inbox')).text).toContain(`href="/calendar/${id}"`);
    expect(await feeds.ben()).toContain('Zanzibar');
    await assign(owner);
    expect((await ben.get(path)).status).toBe(404);
    expect(await noticesOf(firm, attorney)).toEqual([]);
    expect((await page.get('/inbox')).text).not.toContain('Zanzibar');
    expect((await page.get(`/calendar?whose=all&day=${day}`)).text).not.toContain('Zanzibar');
    expect(await feeds.ben()).not.toContain('Zanzibar');
    // Nor are they told that it is cancelled.
    await firm.owner.delete(path);
    expect(await noticesOf(firm, attorney)).toEqual([]);
    await assign(attorney);
    const kinds = (await noticesOf(firm, attorney)).map(({ kind }) => kind);
    expect(kinds).not.toContain('event.cancelled');
  });

  test('is gone with its lead when that is deleted, and comes back with it', async () => {
    const firm = await makeFirm(server);
    const lead = await makeLead(firm);
    const body = { leadId: lead.id, title: 'Wait', startDate: inDays(1) };
    const made = await firm.owner.post('/v1/calendar-events', body);
    const path = `/v1/calendar-events/${made.body.data.id}`;
    await firm.owner.delete(`/v1/leads/${lead.id}`);
    expectRefusal(await firm.owner.get(path), 404, 'not_found');
    const ada = await visitorOf(server, firm, owner);
    await ada.post(`/leads/${lead.id}/restore`);
    expect((await firm.owner.get(path)).body).toEqual(made.body);
  });

  test('needs the permission for leads, and one about a matter that for matters', async () => {
    const { firm, named, query, sides } = await divided(server);
    const made = { leads: '', matters: '' };
    for (const kind of ['leads', 'matters'] as const) {
      const body = { ...named[kind], title: `About ${kind}`, startDate: inDays(0) };
      made[kind] = (await firm.owner.post('/v1/calendar-events', body)).body.data.id;
    }
    for (const [email, may, mayNot] of sides) {
      const by = await firm.callerOf(email);
      const page = await visitorOf(server, firm, email);
      const own = await by.patch(`/v1/calendar-events/${made[may]}`, { title: `About ${may}` });
      expect(own.status).toBe(200);
      const theirs = `/v1/calendar-events/${made[mayNot]}`;
      expectRefusal(await by.get(theirs), 403, 'forbidden', `${mayNot}:read`);
      expectRefusal(await by.delete(theirs), 403, 'forbidden', `${mayNot}:write`);
      const more = { ...named[mayNot], title: 'X', startDate: inDays(0) };
      const post = await by.post('/v1/calendar-events', more);
      expectRefusal(post, 403, 'forbidden', `${mayNot}:write`);
      const { text } = await page.get('/calendar?view=agenda&whose=all');
      expect(text).not.toContain(`About ${mayNot}`);
      expect(text).toContain(`About ${may}`);
      expect((await page.get(`/calendar/${made[may]}`)).status).toBe(200);
      expect((await page.get(`/calendar/${made[mayNot]}`)).status).toBe(404);
      expect((await page.post(`/calendar/${made[mayNot]}`, { title: 'X' })).status).toBe(403);
      expect((await page.post(`/calendar/${made[mayNot]}/cancel`)).status).toBe(403);
      expect((await page.get(`/calendar/new?${query[mayNot]}`)).status).toBe(403);
      expect((await page.post(`/calendar/new?${query[mayNot]}`, { title: 'X' })).status).toBe(403);
    }
  });
});

describe('At Hire', () => {
  test('the events of the lead go to its matter; and an undo gives them back', async () => {
    const firm = await makeFirm(server);
    const lead = await makeLead(firm);
    const body = { leadId: lead.id, title: 'Quagga viewing', startDate: inDays(2) };
    const { id } = (await firm.owner.post('/v1/calendar-events', body)).body.data;
    const matter = await hire(server, firm, lead.id);
    const ada = await visitorOf(server, firm, owner);
    const found = () => foundBy(server, firm, 'quagga');
    const totals = async () => [
      await totalOf(firm.owner.get(`/v1/calendar-events?leadId=${lead.id}`)),
      await totalOf(firm.owner.get(`/v1/calendar-events?matterId=${matter.id}`)),
    ];
    expect(await totals()).toEqual([0, 1]);
    expect((await firm.owner.get(`/v1/calendar-events/${id}`)).body.data).toMatchObject({
      leadId: null,
      matterId: matter.id,
    });
    expect(await found()).toEqual([`/matters/${matter.id}`]);
    expect((await ada.get(`/matters/${matter.id}`)).text).toContain('Quagga viewing');
    const hired = (await ada.get(`/leads/${lead.id}`)).text;
    expect(hired).toContain('moved the events to the matter');
    expect(hired).not.toContain('Add an event');
    const late = await firm.owner.post('/v1/calendar-events', { ...body, title: 'Late' });
    expectRefusal(late, 409, 'conflict', 'hired');
    expect((await ada.post(`/leads/${lead.id}/undo-hire`)).status).toBe(303);
    expect((await firm.owner.get(`/v1/calendar-events?leadId=${lead.id}`)).body.data).toMatchObject(
      [{ id, leadId: lead.id, matterId: null }],
    );
    expect(await found()).toEqual([`/leads/${lead.id}`]);
    expect((await ada.get(`/leads/${lead.id}`)).text).toContain(
      'moved the events back to the lead',
    );
  });

  test('a new event of the matter keeps the hire from being undone', async () => {
    const firm = await makeFirm(server);
    const lead = await makeLead(firm);
    const event = { title: 'Came along', startDate: inDays(1) };
    await firm.owner.post('/v1/calendar-events', { ...event, leadId: lead.id });
    const matter = await hire(server, firm, lead.id);
    await firm.owner.post('/v1/calendar-events', { ...event, matterId: matter.id });
    const ada = await visitorOf(server, firm, owner);
    const { status, text } = await ada.post(`/leads/${lead.id}/undo-hire`);
    expect(status).toBe(422);
    expect(text).toContain('the matter has a calendar event');
    expect(await totalOf(firm.owner.get(`/v1/calendar-events?matterId=${matter.id}`))).toBe(2);
  });
});
