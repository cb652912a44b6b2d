/** One matter as a file that leaves the firm. */
import { expect, test } from 'bun:test';
import { strFromU8, unzipSync } from 'fflate';
import { attorney, makeFirm, owner, startTestServer } from '../support/firm.ts';
import { until } from '../support/until.ts';
import { visitorOf, visitorWith } from '../support/visitor.ts';

const server = await startTestServer();
const hostile = '<script>alert(1)</script>=1+1';

const sha256 = (text: string) => new Bun.CryptoHasher('sha256').update(text).digest('hex');

test('a matter is a ZIP that people, programs, calendars and auditors read', async () => {
  const firm = await makeFirm(server);
  const api = firm.owner;
  const ada = await visitorOf(server, firm, owner);
  const contact = (
    await api.post('/v1/contacts', { lastName: 'Quill', emails: ['q@quill.example'] })
  ).body.data;
  const matter = (
    await api.post('/v1/matters', {
      practiceAreaId: firm.practiceAreas.Family?.id,
      openDate: '2026-01-01',
      solDate: '2028-03-04',
      title: hostile,
      clientContactIds: [contact.id],
      description: hostile,
    })
  ).body.data;
  await ada.post(`/matters/${matter.id}/notes`, { text: '=2+2' });
  const page = await ada.get(`/matters/${matter.id}`);
  expect(page.text).toContain(`action="/matters/${matter.id}/bundle"`);

  const answer = await ada.save(`/matters/${matter.id}/bundle`);
  expect(answer.headers.get('content-type')).toBe('application/zip');
  const files = unzipSync(new Uint8Array(await answer.arrayBuffer()));
  const text = (name: string) => strFromU8(files[name] ?? new Uint8Array());
  expect(JSON.parse(text('matter.json'))).toMatchObject({
    matter: { id: matter.id, title: hostile },
    contacts: [{ emails: [{ address: 'q@quill.example' }] }],
    notes: [{ text: '=2+2' }],
  });
  expect(text('index.html')).toContain('&lt;script>alert(1)');
  expect(text('index.html')).not.toContain('<script');
  expect(text('notes.csv')).toContain("'=2+2");
  expect(text('clients.csv')).toContain('Quill,yes,yes,q@quill.example');
  expect(text('dates.ics')).toContain('DTSTART;VALUE=DATE:20280304');
  const lines = text('audit.jsonl').trim().split('\n');
  const entries = lines.slice(0, -1);
  expect(entries.length).toBe(2);
  for (const line of entries) {
    const [, entry = '', seal = ''] = /^\{"entry":(.*),"seal":(null|\{[^{]*\})\}$/.exec(line) ?? [];
    expect([matter.id, JSON.parse(entry).recordKind === 'note']).toContain(
      JSON.parse(entry).recordKind === 'note' ? true : JSON.parse(entry).recordId,
    );
    const sealed = JSON.parse(seal);
    if (sealed) expect(sha256(sealed.before + entry)).toBe(sealed.hash);
  }
  const ben = await visitorOf(server, firm, attorney);
  expect((await ben.post(`/matters/${matter.id}/bundle`)).status).toBe(403);
  expect((await ben.get(`/matters/${matter.id}`)).text).not.toContain('/bundle');
  const other = await visitorOf(server, await makeFirm(server), owner);
  expect((await other.post(`/matters/${matter.id}/bundle`)).status).toBe(404);
  expect((await visitorWith(server.url, '').post(`/matters/${matter.id}/bundle`)).status).toBe(303);
});

test('a bundle has everything: cancelled tasks and events too, marked as that', async () => {
  const firm = await makeFirm(server);
  const ada = await visitorOf(server, firm, owner);
  const made = { practiceAreaId: firm.practiceAreas.Family?.id, openDate: '2026-01-01' };
  const { id } = (await firm.owner.post('/v1/matters', made)).body.data;
  for (const title of ['Call the court', 'File the claim']) {
    await ada.post(`/tasks/new?matter=${id}`, { title, dueOn: '2030-01-02' });
  }
  const hearing = { title: 'Hearing', day: '2030-02-03', isWhole: 'on' };
  expect((await ada.post(`/calendar/new?matter=${id}`, hearing)).status).toBe(303);
  await firm.owner.patch(`/v1/matters/${id}`, { status: 'ARCHIVE' });
  const bundle = async () => {
    const answer = await ada.save(`/matters/${id}/bundle`);
    const files = unzipSync(new Uint8Array(await answer.arrayBuffer()));
    return (name: string) => strFromU8(files[name] ?? new Uint8Array());
  };
  let text = await bundle();
  const isOpen = () => {
    const { tasks, events } = JSON.parse(text('matter.json'));
    return [...tasks, ...events].some(({ cancelledAt }) => cancelledAt === null);
  };
  await until(async () => {
    text = await bundle();
    return !isOpen();
  });
  const { tasks, events } = JSON.parse(text('matter.json'));
  expect([tasks.length, events.length]).toEqual([2, 1]);
  for (const one of [...tasks, ...events]) expect(one.cancelledAt).toEqual(expect.any(String));
  expect(text('index.html').match(/<td>Cancelled<\/td>/g)).toHaveLength(3);
  expect(text('dates.ics').match(/STATUS:CANCELLED/g)).toHaveLength(3);
  expect(text('tasks.csv')).toMatch(/File the claim,2030-01-02,,,,20/);
});

test('a bundle says how often a task repeats, in the same words every year', async () => {
  const firm = await makeFirm(server);
  const ada = await visitorOf(server, firm, owner);
  const made = { practiceAreaId: firm.practiceAreas.Family?.id, openDate: '2026-01-01' };
  const { id } = (await firm.owner.post('/v1/matters', made)).body.data;
  const add = (task: Record<string, string>) => ada.post(`/tasks/new?matter=${id}`, task);
  await add({ title: 'Once', dueOn: '2030-01-02' });
  await add({ title: 'For good', dueOn: '2030-01-02', repeats: 'workday' });
  const until = { repeats: 'month', repeatsUntil: '2031-12-31' };
  await add({ title: 'For a time', dueOn: '2030-01-31', ...until });
  const answer = await ada.save(`/matters/${id}/bundle`);
  const files = unzipSync(new Uint8Array(await answer.arrayBuffer()));
  const lines = strFromU8(files['tasks.csv'] ?? new Uint8Array()).split('\n');
  expect(lines).toContain('Once,2030-01-02,,,,');
  expect(lines).toContain('For good,2030-01-02,every working day,,,');
  expect(lines).toContain('For a time,2030-01-31,every month until 31 Dec 2031,,,');
});
