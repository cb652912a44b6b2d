/** Who stands in for a colleague who is away gets the notices of leads and matters, too. */
import { describe, expect, test } from 'bun:test';
import { wakeRunners } from '../../src/jobs/runner.ts';
import { takeClock } from '../support/clock.ts';
import { connect, ownDatabase } from '../support/database.ts';
import {
  attorney,
  bookkeeper,
  makeFirm,
  owner,
  startTestServer,
  usualBlueprint,
} from '../support/firm.ts';
import { untilItDoes } from '../support/until.ts';
import { visitorOf } from '../support/visitor.ts';

const databaseUrl = await ownDatabase();
const clock = await takeClock(databaseUrl);
await clock.standAt(Date.UTC(2026, 5, 1, 9));
const server = await startTestServer({ databaseUrl });
const sql = connect(databaseUrl);

const pat = 'pat@harrow.example';
const mark = ' (you stand in for a colleague)';
const [today, tomorrow] = ['2026-06-01', '2026-06-02'];

/** A firm whose attorney is away from a day on; Pat stands in, another attorney, or somebody else. */
const firmAway = async (from: string, deputy = pat) => {
  await clock.standAt(Date.UTC(2026, 5, 1, 9));
  const members = [...usualBlueprint.members, { email: pat, name: 'Pat Reed', role: 'Attorney' }];
  const firm = await makeFirm(server, { members, timeZone: 'UTC' });
  const idOf = (email: string) => firm.members[email] ?? '';
  const send = async (email: string, path: string, fields: Record<string, string | string[]>) => {
    const visitor = await visitorOf(server, firm, email);
    const answer = await visitor.post(path, { once: crypto.randomUUID(), ...fields });
    expect([path, answer.status]).toEqual([path, 303]);
    return answer.location ?? '';
  };
  await send(owner, `/settings/members/${idOf(attorney)}/absence`, {
    ...{ awayFrom: from, awayUntil: '2026-06-05', deputyId: idOf(deputy) },
  });
  const makeLead = async (more: object = {}): Promise<string> =>
    (await firm.owner.post('/v1/leads', { lastName: 'Quill', ...more })).body.data.id;
  /** By a program. */
  const makeMatter = async (team: string[]): Promise<string> => {
    const sent = {
      practiceAreaId: firm.practiceAreas.Family?.id,
      ...{ title: 'Quill v. Rook', openDate: today },
      team: team.map((email) => ({ memberId: idOf(email) })),
    };
    return (await firm.owner.post('/v1/matters', sent)).body.data.id;
  };
  /** What a member was told of these kinds, the oldest first, when all jobs are done. */
  const told = async (email: string, kind: string) => {
    await clock.step(11);
    wakeRunners();
    await untilItDoes(async () => {
      const left = await sql`select from job where firm_id = ${firm.id} and kind like '%_tell%'
        and run_at <= moment()`;
      return left.length === 0;
    });
    const rows = await sql<{ title: string; text: string }[]>`
      select title, text from notification where firm_id = ${firm.id}
        and member_id = ${idOf(email)} and kind = ${kind} order by id`;
    return rows.map(({ title }) => title);
  };
  const assign = (id: string, ...emails: string[]) =>
    send(owner, `/leads/${id}/assignees`, { assigneeIds: emails.map(idOf) });
  const join = (id: string, ...emails: string[]) =>
    send(
      owner,
      `/matters/${id}/team`,
      Object.fromEntries(
        emails.flatMap((email, nth) => [
          [`team[${nth}].memberId`, idOf(email)],
          [`team[${nth}].role`, 'RESPONSIBLE_STAFF'],
          [`team[${nth}].allocation`, ''],
        ]),
      ),
    );
  return { firm, idOf, send, makeLead, makeMatter, told, assign, join };
};

describe('A lead', () => {
  test('that is assigned, and its next step, is told to both while one is away, and to the one alone otherwise', async () => {
    for (const [from, isAway] of [
      [today, true],
      ['2026-06-03', false],
    ] as const) {
      const { send, makeLead, told, assign } = await firmAway(from);
      const id = await makeLead();
      await assign(id, attorney);
      await send(owner, `/leads/${id}`, { nextTouch: [tomorrow, ''] });
      expect(await told(attorney, 'lead.assigned')).toEqual(['Lead assigned to you']);
      const standsIn = isAway ? [`Lead assigned to you${mark}`] : [];
      expect(await told(pat, 'lead.assigned')).toEqual(standsIn);
      await clock.standAt(Date.UTC(2026, 5, 2, 7));
      expect(await told(attorney, 'lead.due')).toEqual(['Next step due']);
      expect(await told(pat, 'lead.due')).toEqual(isAway ? [`Next step due${mark}`] : []);
      expect(await told(owner, 'lead.due')).toEqual([]);
    }
  });

  test('is told once to a deputy who is assigned to it, and not to one who assigns it', async () => {
    const { firm, idOf, send, makeLead, told, assign } = await firmAway(today);
    const id = await makeLead();
    await assign(id, attorney, pat);
    await send(owner, `/leads/${id}`, { nextTouch: [tomorrow, ''] });
    const own = await makeLead();
    await send(pat, `/leads/${own}/assignees`, { assigneeIds: idOf(attorney) });
    await clock.standAt(Date.UTC(2026, 5, 2, 7));
    expect(await told(pat, 'lead.assigned')).toEqual(['Lead assigned to you']);
    expect(await told(pat, 'lead.due')).toEqual(['Next step due']);
    // Who switched the kind off is not told, nor is it for them to say whether their deputy is.
    await firm.command(['notify', 'set', '--member', attorney, 'lead.assigned', 'off']);
    await assign(await makeLead(), attorney);
    expect(await told(pat, 'lead.assigned')).toHaveLength(2);
    await firm.command(['notify', 'set', '--member', pat, 'lead.assigned', 'off']);
    await assign(await makeLead(), attorney);
    expect(await told(pat, 'lead.assigned')).toHaveLength(2);
    expect(await told(attorney, 'lead.assigned')).toHaveLength(2);
  });

  test('that is private is told to no deputy who may not see it, but to an owner; nor any lead to who reads none', async () => {
    for (const [deputy, count] of [
      [pat, 1],
      [bookkeeper, 0],
      [owner, 2],
    ] as const) {
      const { send, makeLead, told, assign } = await firmAway(today, deputy);
      for (const id of [await makeLead(), await makeLead({ isPrivate: true })]) {
        await assign(id, attorney);
        await send(owner, `/leads/${id}`, { nextTouch: [tomorrow, ''] });
      }
      expect(await told(attorney, 'lead.assigned')).toHaveLength(2);
      // The owner has assigned them.
      const assigned = deputy === owner ? 0 : count;
      expect(await told(deputy, 'lead.assigned'), deputy).toHaveLength(assigned);
      await clock.standAt(Date.UTC(2026, 5, 2, 7));
      expect(await told(attorney, 'lead.due')).toHaveLength(2);
      expect(await told(deputy, 'lead.due'), deputy).toHaveLength(count);
    }
  });

  test('of several that are assigned at once: one notice more says how many a colleague got', async () => {
    const { firm, idOf, send, makeLead, told } = await firmAway(today);
    const id = [await makeLead(), await makeLead(), await makeLead({ isPrivate: true })];
    const sent = { do: 'all-assign:add', id, assigneeIds: [idOf(attorney)] };
    await send(owner, '/leads?view=list', sent);
    expect(await told(attorney, 'lead.assigned')).toEqual(['Leads assigned to you']);
    expect(await told(pat, 'lead.assigned')).toEqual([`Leads assigned to you${mark}`]);
    const inbox = (await (await visitorOf(server, firm, pat)).get('/inbox')).text;
    expect(inbox).toContain('Ada Harrow assigned a colleague 2 leads');
    expect(inbox).toContain('"/leads?view=list&amp;sort=-waiting"');
    expect(inbox).not.toContain('assignee=me');
  });
});

describe('A matter', () => {
  test('that a person makes, or adds members to, is told to both while one is away, and to the one alone otherwise', async () => {
    for (const [from, isAway] of [
      [today, true],
      ['2026-06-03', false],
    ] as const) {
      const { firm, send, idOf, makeMatter, told, join } = await firmAway(from);
      await send(owner, '/matters/new', {
        practiceAreaId: firm.practiceAreas.Family?.id ?? '',
        ...{ title: 'By a person', responsible: idOf(attorney) },
      });
      await join(await makeMatter([]), attorney);
      expect(await told(attorney, 'matter.added')).toEqual(Array(2).fill('Added to a matter'));
      const standsIn = isAway ? Array(2).fill(`Added to a matter${mark}`) : [];
      expect(await told(pat, 'matter.added')).toEqual(standsIn);
    }
  });

  test('that a program makes, archives or deletes is told to the team alone', async () => {
    const { firm, makeMatter, told } = await firmAway(today);
    const [one, other] = [await makeMatter([attorney]), await makeMatter([attorney])];
    expect(await told(attorney, 'matter.added')).toHaveLength(2);
    await firm.owner.patch(`/v1/matters/${one}`, { status: 'ARCHIVE' });
    await firm.owner.delete(`/v1/matters/${other}`);
    for (const kind of ['matter.added', 'matter.archived', 'matter.deleted']) {
      expect(await told(attorney, kind), kind).toHaveLength(kind === 'matter.added' ? 2 : 1);
      expect(await told(pat, kind), kind).toEqual([]);
    }
  });

  test('is told to no deputy whose role reads none, nor to one who is on the team anyway a second time', async () => {
    const blind = await firmAway(today, bookkeeper);
    await blind.join(await blind.makeMatter([]), attorney);
    expect(await blind.told(attorney, 'matter.added')).toHaveLength(1);
    expect(await blind.told(bookkeeper, 'matter.added')).toEqual([]);
    const both = await firmAway(today);
    await both.join(await both.makeMatter([]), attorney, pat);
    expect(await both.told(pat, 'matter.added')).toEqual(['Added to a matter']);
  });

  test('of several to which a colleague is added at once: one notice more says of how many', async () => {
    const { firm, idOf, send, makeMatter, told } = await firmAway(today);
    const id = [await makeMatter([]), await makeMatter([])];
    const sent = { do: 'all-assign:add', id, assigneeIds: [idOf(attorney)] };
    await send(owner, '/matters?view=list', sent);
    expect(await told(attorney, 'matter.added')).toEqual(['Added to matters']);
    expect(await told(pat, 'matter.added')).toEqual([`Added to matters${mark}`]);
    const inbox = (await (await visitorOf(server, firm, pat)).get('/inbox')).text;
    expect(inbox).toContain('Ada Harrow added a colleague to 2 matters');
    await send(owner, '/matters?view=list', { do: 'all-status:ARCHIVE', id });
    expect(await told(attorney, 'matter.archived')).toEqual(['Matters archived']);
    expect(await told(pat, 'matter.archived')).toEqual([]);
  });
});
