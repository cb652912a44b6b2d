import { describe, expect, test } from 'bun:test';
import { wakeRunners } from '../../src/jobs/runner.ts';
import { takeClock } from '../support/clock.ts';
import { connect, ownDatabase } from '../support/database.ts';
import {
  attorney,
  bookkeeper,
  type Firm,
  makeFirm,
  owner,
  startTestServer,
} from '../support/firm.ts';
import { run } from '../support/terminal.ts';
import { until } from '../support/until.ts';

const databaseUrl = await ownDatabase();
const clock = await takeClock(databaseUrl);
await clock.run(1);
const server = await startTestServer({ databaseUrl });
const sql = connect(databaseUrl);

const dee = 'dee@harrow.example';
const members = [
  { email: owner, name: 'Ada Harrow', role: 'Owner' },
  { email: attorney, name: 'Ben Lane', role: 'Attorney' },
  { email: dee, name: 'Dee Roe', role: 'Attorney' },
  { email: bookkeeper, name: 'Cy Moss', role: 'Bookkeeper' },
];
const newFirm = () => makeFirm(server, { members });

type Notice = {
  id: string;
  kind: string;
  recordId: string | null;
  title: string;
  text: string;
  count: number | null;
  createdAt: string;
  readAt: string | null;
};

const inbox = (firm: Firm, email: string) => firm.command<Notice[]>(['inbox', '--member', email]);

/** Who of the firm was told, and how often. */
const told = async (firm: Firm): Promise<Record<string, number>> => {
  const entries: [string, number][] = [];
  for (const { email } of members) entries.push([email, (await inbox(firm, email)).length]);
  return Object.fromEntries(entries.filter(([, count]) => count > 0));
};

type Job = { kind: string; starts: number; failures: number; deadAt: Date | null };

const jobsOf = async (firm: { id: string }, on = sql): Promise<Job[]> => [
  ...(await on<Job[]>`
    select kind, starts, failures, dead_at as "deadAt" from job where firm_id = ${firm.id}`),
];

/** Waits until nothing of the firm is left to do: what was not told by then is told to nobody. */
const untilDone = (firm: { id: string }, on = sql) =>
  until(async () => (await jobsOf(firm, on)).length === 0);

const minutePasses = async (firm: { id: string }) => {
  await clock.step(61);
  // Saves the tests a second each; that runners look by themselves too is shown without it.
  wakeRunners();
  await untilDone(firm);
};

const zoe = { firstName: 'Zoe', lastName: 'Quill' };
const post = async (firm: Firm, body: object = zoe, by = firm.owner) => {
  const answer = await by.post('/v1/leads', body);
  expect(answer.status).toBe(201);
  return answer.body.data;
};

describe('POST /v1/leads: New lead (names the prospect and the lead number; opens the lead)', () => {
  test('about one minute after the call returns, once, to firm owners and colleagues whose role can see leads', async () => {
    const firm = await newFirm();
    const bystander = await newFirm();
    await clock.standAt(Math.ceil(await clock.now()));
    const theirs = await post(bystander);
    await clock.step(0.001);
    const lead = await post(firm);
    // A millisecond before the minute is over, who looks finds what the bystander waits for, and no more.
    await clock.standAt(Date.parse(lead.createdAt) + 59_999);
    await untilDone(bystander);
    expect(await told(firm)).toEqual({});
    expect(await jobsOf(firm)).toHaveLength(1);

    await clock.step(0.001);
    await untilDone(firm);
    expect(await told(firm)).toEqual({ [owner]: 1, [attorney]: 1, [dee]: 1 });
    const [notice] = await inbox(firm, attorney);
    expect(notice).toEqual({
      id: expect.any(String),
      kind: 'lead.new',
      recordId: lead.id,
      title: 'New lead',
      text: expect.any(String),
      count: null,
      createdAt: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/),
      readAt: null,
    });
    expect(notice?.text).toContain('Zoe Quill');
    expect(notice?.text).toContain(lead.publicId);
    expect(Date.parse(notice?.createdAt ?? '') - Date.parse(lead.createdAt)).toBe(60_000);

    // Who tells of a later lead has looked at what there was of the first.
    await clock.run(1);
    await clock.step(3_600);
    const later = await post(bystander);
    await minutePasses(bystander);
    expect(await told(firm)).toEqual({ [owner]: 1, [attorney]: 1, [dee]: 1 });
    const tellsOf = (await inbox(bystander, attorney)).map(({ recordId }) => recordId);
    expect(tellsOf).toEqual([later.id, theirs.id]);
  });

  test('a company is named by its name; each lead has its own', async () => {
    const firm = await newFirm();
    const company = await post(firm, { type: 'COMPANY', companyName: 'Quill & Co', lastName: 'Q' });
    const person = await post(firm, { lastName: 'Reed' });
    await minutePasses(firm);
    const notices = await inbox(firm, attorney);
    expect(notices.map(({ recordId }) => recordId).sort()).toEqual([company.id, person.id].sort());
    const of = (id: string) => notices.find(({ recordId }) => recordId === id)?.text;
    expect(of(company.id)).toContain('Quill & Co');
    expect(of(company.id)).toContain('L-0001');
    expect(of(person.id)).toContain('Reed');
    expect(of(person.id)).toContain('L-0002');
  });

  test('each person can switch the kind off for themselves; switched on again, from then on', async () => {
    const firm = await newFirm();
    const set = (state: string) =>
      firm.command(['notify', 'set', '--member', attorney, 'lead.new', state]);
    await post(firm);
    expect(await set('off')).toEqual({ email: attorney, kind: 'lead.new', on: false });
    await minutePasses(firm);
    expect(await told(firm)).toEqual({ [owner]: 1, [dee]: 1 });
    expect(await set('on')).toEqual({ email: attorney, kind: 'lead.new', on: true });
    expect(await inbox(firm, attorney)).toEqual([]);
    const second = await post(firm);
    await minutePasses(firm);
    expect((await inbox(firm, attorney)).map(({ recordId }) => recordId)).toEqual([second.id]);
    expect(await told(firm)).toEqual({ [owner]: 2, [attorney]: 1, [dee]: 2 });
  });

  test('the switch of another kind changes nothing', async () => {
    const firm = await newFirm();
    await firm.command(['notify', 'set', '--member', attorney, 'matter.added', 'off']);
    await post(firm);
    await minutePasses(firm);
    expect(await told(firm)).toEqual({ [owner]: 1, [attorney]: 1, [dee]: 1 });
  });

  test('who gets it is decided at delivery: a deactivated member and one whose role changed do not', async () => {
    const firm = await newFirm();
    await post(firm);
    await sql`update member set deactivated_at = moment()
      where firm_id = ${firm.id} and email = ${dee}`;
    const moved = members
      .filter(({ email }) => email !== dee)
      .map((one) => (one.email === attorney ? { ...one, role: 'Bookkeeper' } : one))
      .map((one) => (one.email === bookkeeper ? { ...one, role: 'Attorney' } : one));
    await firm.reapply({ members: moved });
    await minutePasses(firm);
    expect(await told(firm)).toEqual({ [owner]: 1, [bookkeeper]: 1 });
  });

  test('a private lead is told to its assignee and to owners only', async () => {
    const firm = await newFirm();
    const ben = await firm.callerOf(attorney);
    const lead = await post(firm, { ...zoe, isPrivate: true }, ben);
    await minutePasses(firm);
    expect(await told(firm)).toEqual({ [owner]: 1, [attorney]: 1 });
    expect((await inbox(firm, attorney))[0]?.recordId).toBe(lead.id);
  });

  test('a lead that became private within the minute is not told to the others', async () => {
    const firm = await newFirm();
    const lead = await post(firm);
    await firm.owner.patch(`/v1/leads/${lead.id}`, { isPrivate: true });
    await minutePasses(firm);
    expect(await told(firm)).toEqual({ [owner]: 1 });
  });

  test('a lead made private later is not named any more to those who may not see it', async () => {
    const firm = await newFirm();
    const lead = await post(firm);
    await minutePasses(firm);
    expect(await told(firm)).toEqual({ [owner]: 1, [attorney]: 1, [dee]: 1 });
    const ben = await firm.callerOf(attorney);
    expect((await ben.patch(`/v1/leads/${lead.id}`, { isPrivate: true })).status).toBe(200);
    expect(await told(firm)).toEqual({ [owner]: 1, [attorney]: 1 });
    for (const words of [[], ['--json']]) {
      const { out } = await run(databaseUrl, [
        ...['inbox', '--firm', firm.id, '--member', dee],
        ...words,
      ]);
      expect(out).not.toContain('Quill');
      expect(out).not.toContain(lead.id);
    }
    await firm.reapply({
      members: members.map((one) => ({
        ...one,
        role: one.email === owner ? 'Owner' : 'Bookkeeper',
      })),
    });
    expect(await told(firm)).toEqual({ [owner]: 1 });
  });

  test('a deleted lead is not told of; what was told of it is withdrawn', async () => {
    const firm = await newFirm();
    const lead = await post(firm);
    await firm.owner.delete(`/v1/leads/${lead.id}`);
    await minutePasses(firm);
    expect(await told(firm)).toEqual({});
    const second = await post(firm);
    await minutePasses(firm);
    expect(await told(firm)).toEqual({ [owner]: 1, [attorney]: 1, [dee]: 1 });
    await firm.owner.delete(`/v1/leads/${second.id}`);
    expect(await told(firm)).toEqual({});
  });

  test('a refused lead is told to nobody', async () => {
    const firm = await newFirm();
    expect((await firm.owner.post('/v1/leads', {})).status).toBe(400);
    const refused = await firm.owner.post('/v1/leads', { ...zoe, customFields: { No: 1 } });
    expect(refused.status).toBe(400);
    expect(await jobsOf(firm)).toEqual([]);
  });

  test('a repeat with the same Idempotency-Key is told of once', async () => {
    const firm = await newFirm();
    for (let call = 0; call < 3; call += 1) {
      await firm.owner.post('/v1/leads', zoe, { 'idempotency-key': 'one' });
    }
    await minutePasses(firm);
    expect(await told(firm)).toEqual({ [owner]: 1, [attorney]: 1, [dee]: 1 });
  });
});

describe('Produced asynchronously, exactly once', () => {
  test('never during the request: it succeeds while nothing can be told, and is told of later', async () => {
    const firm = await newFirm();
    await sql`alter table notification rename to notification_elsewhere`;
    const failed = async () => {
      for (;;) {
        const [job] = await jobsOf(firm);
        if (job?.failures) return job;
        await Bun.sleep(20);
      }
    };
    try {
      await post(firm);
      await clock.step(61);
      expect(await failed()).toEqual({
        kind: 'lead_announce',
        starts: 1,
        failures: 1,
        deadAt: null,
      });
    } finally {
      await sql`alter table notification_elsewhere rename to notification`;
    }
    await clock.step(60);
    await untilDone(firm);
    expect(await told(firm)).toEqual({ [owner]: 1, [attorney]: 1, [dee]: 1 });
  });

  test('a job of a kind this version does not know is left alone, and holds up nothing', async () => {
    const firm = await newFirm();
    await sql`insert into job (firm_id, kind, dedupe_key, payload, run_at)
      select ${firm.id}, 'of_tomorrow', 'of_tomorrow:' || n, '{}', moment() - interval '1 hour'
      from generate_series(1, 60) n`;
    await post(firm);
    await clock.step(61);
    await until(async () => Object.keys(await told(firm)).length >= 3);
    expect(await told(firm)).toEqual({ [owner]: 1, [attorney]: 1, [dee]: 1 });
    const left = await jobsOf(firm);
    expect(left).toEqual(
      Array(60).fill({ kind: 'of_tomorrow', starts: 0, failures: 0, deadAt: null }),
    );
    await sql`delete from job where firm_id = ${firm.id}`;
  });

  test('a job that is there again tells nobody twice', async () => {
    const firm = await newFirm();
    const lead = await post(firm);
    await minutePasses(firm);
    await sql`insert into job (firm_id, kind, dedupe_key, ref, payload, run_at)
      select ${firm.id}, 'lead_announce', 'again ' || n, ${lead.id}, '{}', moment()
      from generate_series(1, 5) n`;
    await untilDone(firm);
    expect(await told(firm)).toEqual({ [owner]: 1, [attorney]: 1, [dee]: 1 });
  });

  test('with two servers on one database still once', async () => {
    const other = await startTestServer({ databaseUrl });
    const firms = await Promise.all(Array.from({ length: 4 }, newFirm));
    for (const firm of firms) {
      await post(firm);
      await post(firm);
    }
    await clock.step(61);
    for (const firm of firms) {
      await untilDone(firm);
      expect(await told(firm)).toEqual({ [owner]: 2, [attorney]: 2, [dee]: 2 });
    }
    await other.stop();
  });

  test('a server stopped in between: it still comes, and once', async () => {
    const alone = await ownDatabase();
    const clockAlone = await takeClock(alone);
    await clockAlone.run(1);
    const first = await startTestServer({ databaseUrl: alone });
    const firm = await makeFirm(first, { members });
    const lead = await post(firm);
    await first.stop();
    await clockAlone.step(3_600);
    expect(await inbox(firm, attorney)).toEqual([]);
    await startTestServer({ databaseUrl: alone });
    const sqlAlone = connect(alone);
    await untilDone(firm, sqlAlone);
    await sqlAlone.end();
    expect(await told(firm)).toEqual({ [owner]: 1, [attorney]: 1, [dee]: 1 });
    expect((await inbox(firm, owner))[0]?.recordId).toBe(lead.id);
  });
});
