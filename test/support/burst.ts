/** The stage of the tests about announcing leads: instances on one database, one clock, and firms. */
import { afterAll, expect } from 'bun:test';
import { readSettings } from '../../src/config.ts';
import type { Server } from '../../src/doors.ts';
import { listNotifications } from '../../src/notifications/notification.ts';
import { type Database, openDatabase } from '../../src/postgres/pool.ts';
import { administrator } from '../../src/record/actor.ts';
import { startServer } from '../../src/server.ts';
import { type Clock, takeClock } from './clock.ts';
import { connect, ownDatabase } from './database.ts';
import { attorney, bookkeeper, type Caller, caller, comingAgain, makeFirm, owner } from './firm.ts';
import { expectSound, type Notice } from './invariants.ts';
import { environmentOf } from './roles.ts';
import { untilItDoes } from './until.ts';

/**
 * With how many instances the tests of bursts run, one after the other. Three do all that one does;
 * BURST_INSTANCES=1,3 runs both.
 */
export const instanceCounts = (process.env.BURST_INSTANCES ?? '3').split(',').map(Number);

/** Who of the firm is who: O owns it, C may see leads, N may not, D may but has switched them off. */
export const people = { O: owner, C: attorney, N: bookkeeper, D: 'dee@harrow.example' };
export type Person = keyof typeof people;

const members = [
  { email: people.O, name: 'Ada Harrow', role: 'Owner' },
  { email: people.C, name: 'Ben Lane', role: 'Attorney' },
  { email: people.N, name: 'Cy Moss', role: 'Bookkeeper' },
  { email: people.D, name: 'Dee Roe', role: 'Attorney' },
];

/** This many instances of the service on a database of their own, whose clock does not run. */
export const openStage = async (count: number) => {
  const databaseUrl = await ownDatabase();
  const clock = await takeClock(databaseUrl);
  const sql = connect(databaseUrl);
  afterAll(() => sql.end());
  // Stopped at the end of the file, even if a test starts them again.
  const started: Server[] = [];
  const database = openDatabase(readSettings(environmentOf(databaseUrl)).database ?? '', 2);
  afterAll(() => database.close());
  const settings = readSettings({
    DATABASE_URL: databaseUrl,
    DATABASE_CONNECTIONS: '5',
    RATE_LIMIT: 'off',
    DRAIN_SECONDS: '0',
  });
  const start = () => {
    const servers = Array.from({ length: count }, () =>
      startServer(settings.database ?? '', settings, { host: '127.0.0.1', port: 0 }),
    );
    started.push(...servers);
    return servers;
  };
  const stop = async () => {
    await Promise.all(started.splice(0).map((server) => server.stop()));
  };
  afterAll(stop);
  const stage = { databaseUrl, clock, sql, database, start, stop, servers: start() };
  return Object.assign(stage, { newFirm: () => newFirm(stage) });
};

type Stage = {
  databaseUrl: string;
  clock: Clock;
  sql: ReturnType<typeof connect>;
  database: Database;
  servers: { url: string }[];
};

type Lead = { id: string; publicId: string; createdAt: string; contact: { name: string } };

let prospects = 0;

const newFirm = async (stage: Stage) => {
  const { clock, sql, databaseUrl } = stage;
  const urls = () => stage.servers.map(({ url }) => url);
  const firm = await makeFirm({ url: urls()[0] ?? '', databaseUrl }, { members });
  const actor = administrator(stage.database, firm.id);
  await firm.command(['notify', 'set', '--member', people.D, 'lead.new', 'off']);
  const start = Math.ceil(await clock.now());
  await clock.standAt(start);
  let calls = 0;
  /** The key's caller, at each instance in turn. */
  const anywhere = ({ key, keyId } = firm.owner as Pick<Caller, 'key' | 'keyId'>) =>
    caller(urls()[calls++ % urls().length] ?? '', key, keyId);

  const post = async (body: object = {}, by = anywhere(), headers = {}) => {
    const named = { firstName: 'Prospect', lastName: `No${++prospects}x`, ...body };
    const answer = await comingAgain(by).post('/v1/leads', named, headers);
    expect(answer.status).toBe(201);
    return answer.body.data as Lead;
  };
  /** This many leads, one after the other, each on another instance. */
  const leads = async (count: number, body: object = {}) => {
    const made: Lead[] = [];
    for (let index = 0; index < count; index += 1) made.push(await post(body));
    return made;
  };

  const jobs = () => sql<{ runAt: number; isDue: boolean }[]>`
    select (extract(epoch from run_at) * 1000)::float8 as "runAt", run_at <= moment() as "isDue"
    from job where firm_id = ${firm.id} order by run_at`;
  /** Waits until nothing of the firm is due. What was not told by then is told to nobody. */
  const settle = () => untilItDoes(async () => !(await jobs()).some(({ isDue }) => isDue));
  /**
   * Lets time pass until this many seconds after the firm's first moment, and delivers what becomes
   * due on the way.
   */
  const goTo = async (seconds: number) => {
    const target = start + seconds * 1000;
    for (;;) {
      await settle();
      const [next] = await jobs();
      if (!next || next.runAt > target) break;
      // A tenth of a second on: leads made in one go are due within it.
      await clock.standAt(Math.min(target, Math.ceil(next.runAt) + 100));
    }
    await clock.standAt(target);
  };

  /** What `inbox` prints: the verb behind it, since the tests look a thousand times. */
  const inbox = (person: Person): Promise<Notice[]> =>
    listNotifications(actor, firm.members[people[person]] ?? '');
  /** What everyone is shown, for example `2 + B(4)`: two leads by themselves and a burst of four. */
  const look = async () => {
    const shown = {} as Record<Person, string>;
    const inboxes = {} as Record<Person, Notice[]>;
    for (const person of Object.keys(people) as Person[]) {
      inboxes[person] = await inbox(person);
      shown[person] = inWords(inboxes[person]);
    }
    await expectSound(
      sql,
      firm.id,
      Object.fromEntries(
        (Object.keys(people) as Person[]).map((person) => [people[person], inboxes[person]]),
      ),
    );
    return { shown, inboxes };
  };
  /** Expects these notifications. A member who is not named has none. */
  const expectShown = async (expected: Partial<Record<Person, string>>) => {
    const { shown, inboxes } = await look();
    expect(shown).toEqual({ O: '', C: '', N: '', D: '', ...expected });
    return inboxes;
  };
  /** Reads everything that a member is shown. */
  const read = (person: Person) => sql`
    update notification set read_at = moment() from member
    where notification.firm_id = ${firm.id} and member.firm_id = ${firm.id}
      and member.id = notification.member_id and member.email = ${people[person]}
      and replaced_by_id is null and read_at is null`;
  const set = (person: Person, state: 'on' | 'off') =>
    firm.command(['notify', 'set', '--member', people[person], 'lead.new', state]);
  const become = (person: Person, role: string) =>
    firm.reapply({
      members: members.map((one) => (one.email === people[person] ? { ...one, role } : one)),
    });
  return {
    ...firm,
    start,
    anywhere,
    post,
    leads,
    jobs,
    settle,
    goTo,
    inbox,
    look,
    expectShown,
    read,
    set,
    become,
  };
};

export type StagedFirm = Awaited<ReturnType<typeof newFirm>>;

const inWords = (notices: Notice[]) => {
  const singles = notices.filter(({ kind }) => kind === 'lead.new').length;
  const bursts = notices
    .filter(({ kind }) => kind === 'lead.burst')
    .map(({ count }) => `B(${count})`);
  return [...(singles > 0 ? [String(singles)] : []), ...bursts].join(' + ');
};

/** How many of them are unread. */
export const unread = (notices: Notice[]) => notices.filter(({ readAt }) => !readAt).length;
