/** Who is away: Home says so, and whoever chooses people for work sees it. */
import { describe, expect, test } from 'bun:test';
import {
  attorney,
  bookkeeper,
  type Firm,
  makeFirm,
  owner,
  startTestServer,
} from '../support/firm.ts';
import { partsIn, textIn, textsIn } from '../support/html.ts';
import { visitorOf } from '../support/visitor.ts';

const server = await startTestServer();

const dayFrom = (days: number) =>
  new Date(Date.now() + days * 86_400_000).toISOString().slice(0, 10);

/** A firm whose attorney is away on these days. */
const firmWithAbsence = async (from: number, until: number) => {
  const firm = await makeFirm(server);
  const ada = await visitorOf(server, firm, owner);
  const absence = { awayFrom: dayFrom(from), awayUntil: dayFrom(until), deputyId: deputyOf(firm) };
  const { status } = await ada.post(`/settings/members/${firm.members[attorney]}/absence`, absence);
  expect(status).toBe(303);
  return { firm, ada };
};

const deputyOf = (firm: Firm) => firm.members[bookkeeper] ?? '';

const marked = /^Ben Lane \(away until (\w{3} \d{1,2} \w{3}|\d{1,2} \w{3} \d{4})\)$/;

describe('Who is away today', () => {
  test('is on everybody’s Home, with who stands in', async () => {
    const { firm, ada } = await firmWithAbsence(-2, 4);
    for (const member of [ada, await visitorOf(server, firm, bookkeeper)]) {
      const [panel = ''] = partsIn((await member.get('/')).text, '#away').map(
        ({ textContent }) => textContent,
      );
      expect(panel).toContain('Away today');
      expect(panel).toContain('Ben Lane');
      expect(panel).toContain('Cy Moss stands in.');
      expect(panel).not.toContain('Ada Harrow');
    }
  });

  test('is marked where people are chosen for tasks, events, matters and leads', async () => {
    const { firm, ada } = await firmWithAbsence(-2, 4);
    const { body: matter } = await firm.owner.post('/v1/matters', {
      practiceAreaId: firm.practiceAreas.Family?.id,
      openDate: '2026-01-01',
      title: 'Quill v. Rook',
    });
    const { body: lead } = await firm.owner.post('/v1/leads', { lastName: 'Roe' });
    for (const [path, names] of [
      ['/tasks/new', 'select[name=assigneeId] option'],
      ['/calendar/new', '#colleagues label, fieldset .checks label'],
      [`/matters/${matter.data.id}?do=team`, 'select option'],
      [`/leads/${lead.data.id}`, 'fieldset label'],
      ['/matters/new', 'select[name=responsible] option'],
      ['/leads/new', 'fieldset label'],
      ['/leads', 'select[name=assignee] option'],
      ['/matters', 'select[name=responsible] option'],
      ['/leads?view=list', 'select[name=assignee] option'],
      ['/leads?view=list', '#add-assignee label'],
      ['/matters?view=list', 'select[name=responsible] option'],
      ['/matters?view=list', '#replace-assignees label'],
      ['/settings/me', 'select[name=deputyId] option'],
      [`/settings/members/${firm.members[owner]}`, 'select[name=deputyId] option'],
    ] as const) {
      const { text } = await ada.get(path);
      const shown = textsIn(text, names).map((one) => one.trim());
      expect(shown.filter((one) => marked.test(one)).length, path).toBeGreaterThan(0);
      expect(shown.filter((one) => one.startsWith('Cy Moss')).length, path).toBeGreaterThan(0);
      expect(
        shown.filter((one) => /^Cy Moss .*away/.test(one)),
        path,
      ).toEqual([]);
    }
  });

  test('is nobody before an absence begins, after it ended, and once its member has left', async () => {
    for (const [from, until] of [
      [2, 4],
      [-9, -2],
    ] as const) {
      const { ada } = await firmWithAbsence(from, until);
      expect(partsIn((await ada.get('/')).text, '#away')).toHaveLength(0);
      expect((await ada.get('/tasks/new')).text).not.toContain('away until');
    }
    const { firm, ada } = await firmWithAbsence(-2, 4);
    await firm.command(['member', 'deactivate', attorney, '--leave']);
    expect(textIn((await ada.get('/')).text, '#away')).toBe('');
  });
});
