import { describe, expect, test } from 'bun:test';
import {
  attorney,
  bookkeeper,
  type Firm,
  makeFirm,
  owner,
  startTestServer,
} from '../support/firm.ts';
import { until } from '../support/until.ts';

const server = await startTestServer();

type Notice = { kind: string; recordId: string; title: string; text: string; readAt: null };

const inbox = (firm: Firm, member: string) => firm.command<Notice[]>(['inbox', '--member', member]);

const kindsOf = async (firm: Firm, member: string) =>
  (await inbox(firm, member)).map(({ kind }) => kind);

/** Waits until nothing of the firm is left to do: what was not told by then is told to nobody. */
const untilDone = (firm: Firm) =>
  until(async () => (await firm.command<unknown[]>(['job', 'list'])).length === 0);

const makeMatter = async (firm: Firm, team: object[], title = 'Quill v. Rook') => {
  const { body } = await firm.owner.post('/v1/matters', {
    practiceAreaId: firm.practiceAreas.Family?.id,
    openDate: '2026-03-14',
    title,
    team,
  });
  return body.data as { id: string; publicId: string };
};

const on = (firm: Firm, ...members: string[]) =>
  members.map((email) => ({ memberId: firm.members[email] }));

describe('Added to a matter', () => {
  test('is told once to each member listed in team, however often they are listed, and to nobody else', async () => {
    const firm = await makeFirm(server);
    const team = [
      ...on(firm, attorney),
      { memberId: firm.members[attorney], role: 'RESPONSIBLE_STAFF' },
    ];
    const { id, publicId } = await makeMatter(firm, team);
    await until(async () => (await inbox(firm, attorney)).length > 0);
    expect(await inbox(firm, attorney)).toMatchObject([
      {
        kind: 'matter.added',
        recordId: id,
        title: 'Added to a matter',
        text: `${publicId} Quill v. Rook`,
        readAt: null,
      },
    ]);
    expect(await inbox(firm, owner)).toEqual([]);
    expect(await inbox(firm, bookkeeper)).toEqual([]);
  });

  test('is not told to whom switched it off, and nothing is told of an empty team', async () => {
    const firm = await makeFirm(server);
    await firm.command(['notify', 'set', '--member', attorney, 'matter.added', 'off']);
    await makeMatter(firm, []);
    await makeMatter(firm, on(firm, attorney, owner));
    await until(async () => (await inbox(firm, owner)).length > 0);
    expect(await kindsOf(firm, attorney)).toEqual([]);
    expect(await kindsOf(firm, owner)).toEqual(['matter.added']);
  });
});

describe('PATCH status ARCHIVE', () => {
  test('tells the team once for each time it is archived; sent twice it tells once', async () => {
    const firm = await makeFirm(server);
    const { id } = await makeMatter(firm, on(firm, attorney));
    const move = (status: string) => firm.owner.patch(`/v1/matters/${id}`, { status });
    const archived = async () =>
      (await kindsOf(firm, attorney)).filter((kind) => kind === 'matter.archived').length;
    await move('ARCHIVE');
    await move('ARCHIVE');
    await until(async () => (await archived()) === 1);
    await move('ACTIVE');
    expect((await move('ARCHIVE')).status).toBe(200);
    await until(async () => (await archived()) === 2);
    await untilDone(firm);
    expect(await archived()).toBe(2);
    expect(await inbox(firm, owner)).toEqual([]);
  });

  test('cancels open tasks and events to come, each once, in the name of who archived it, and tells every guest', async () => {
    const firm = await makeFirm(server);
    const { id, publicId } = await makeMatter(firm, on(firm, attorney));
    const event = (title: string, starts: string) =>
      firm.command<{ id: string }>([
        ...['event', 'add', '--matter', id, '--title', title, '--starts', starts],
        ...['--guest', bookkeeper, attorney, 'outside@court.example'],
      ]);
    const hearing = await event('Hearing', '2099-03-14T09:30:00Z');
    await event('Long ago', '2001-03-14T09:30:00Z');
    for (const title of ['File', 'Call']) {
      await firm.command(['task', 'add', '--matter', id, '--title', title]);
    }
    const answer = await firm.owner.patch(`/v1/matters/${id}`, { status: 'ARCHIVE' });
    expect(answer.status).toBe(200);
    type Closable = { id: string; title: string; cancelledAt: string | null };
    const list = (what: string) => firm.command<Closable[]>([what, 'list', '--matter', id]);
    await until(async () => (await list('task')).every((task) => task.cancelledAt !== null));
    await until(async () => (await kindsOf(firm, bookkeeper)).length > 0);
    const events = await list('event');
    expect(events.map(({ title, cancelledAt }) => [title, cancelledAt !== null])).toEqual([
      ['Long ago', false],
      ['Hearing', true],
    ]);
    expect(await inbox(firm, bookkeeper)).toMatchObject([
      { kind: 'event.cancelled', recordId: id, text: `Hearing (${publicId} Quill v. Rook)` },
    ]);
    await until(async () => (await kindsOf(firm, attorney)).length === 3);
    expect((await kindsOf(firm, attorney)).sort()).toEqual([
      ...['event.cancelled', 'matter.added', 'matter.archived'],
    ]);
    type Entry = { action: string; memberId: string; keyId: string; requestId: string };
    const entries = await firm.command<Entry[]>(['audit', 'list', '--record', hearing.id]);
    expect(entries.at(-1)).toMatchObject({
      action: 'update',
      memberId: firm.members[owner],
      keyId: firm.owner.keyId,
      requestId: answer.headers.get('x-request-id'),
    });
    expect(entries).toHaveLength(2);

    // Reactivating undoes nothing; archived again, only what is open by then is cancelled.
    await firm.owner.patch(`/v1/matters/${id}`, { status: 'ACTIVE' });
    expect((await list('task')).every((task) => task.cancelledAt !== null)).toBe(true);
    await firm.command(['task', 'add', '--matter', id, '--title', 'Late']);
    await firm.owner.patch(`/v1/matters/${id}`, { status: 'ARCHIVE' });
    await until(async () => (await list('task')).every((task) => task.cancelledAt !== null));
    expect(await kindsOf(firm, bookkeeper)).toEqual(['event.cancelled']);
  });

  test('cancels more tasks than fit one transaction, all of them and each once', async () => {
    const firm = await makeFirm(server);
    const { id } = await makeMatter(firm, []);
    const { addTask } = await import('../../src/tasks/task.ts');
    const { administrator } = await import('../../src/record/actor.ts');
    const { openDatabase } = await import('../../src/postgres/pool.ts');
    const { readSettings } = await import('../../src/config.ts');
    const address = readSettings({ DATABASE_URL: server.databaseUrl }).database ?? '';
    const database = openDatabase(address, 2);
    const actor = administrator(database, firm.id);
    for (let made = 0; made < 450; made += 1)
      await addTask(actor, { matterId: id, title: `Task ${made}` });
    await database.close();
    await firm.owner.patch(`/v1/matters/${id}`, { status: 'ARCHIVE' });
    type Task = { id: string; cancelledAt: string | null };
    const open = async () =>
      (await firm.command<Task[]>(['task', 'list', '--matter', id])).filter(
        (task) => !task.cancelledAt,
      );
    await until(async () => (await open()).length === 0);
    const entries = await firm.command<{ action: string; recordKind: string }[]>(['audit', 'list']);
    const updates = entries.filter(
      ({ action, recordKind }) => recordKind === 'task' && action === 'update',
    );
    expect(updates).toHaveLength(450);
  });
});

describe('The commands', () => {
  test('tell an assignee, and guests if that is asked for; nobody is told of an invitation otherwise', async () => {
    const firm = await makeFirm(server);
    const { id, publicId } = await makeMatter(firm, []);
    const event = (title: string, ...more: string[]) =>
      firm.command([
        ...['event', 'add', '--matter', id, '--title', title],
        ...['--starts', '2099-03-14T09:30:00Z', '--guest', attorney, 'outside@court.example'],
        ...more,
      ]);
    await event('Silent');
    expect(await inbox(firm, attorney)).toEqual([]);
    await event('Hearing', '--tell');
    const text = `Hearing (${publicId} Quill v. Rook)`;
    expect(await inbox(firm, attorney)).toMatchObject([{ kind: 'event.invited', text }]);
    const day = ['--due', '2099-03-01', '--assignee', attorney];
    await firm.command(['task', 'add', '--matter', id, '--title', 'File', ...day]);
    expect(await inbox(firm, attorney)).toMatchObject([
      { kind: 'task.assigned', text: `File (${publicId} Quill v. Rook)` },
      { kind: 'event.invited' },
    ]);
    for (const kind of ['event.invited', 'task.assigned']) {
      await firm.command(['notify', 'set', '--member', attorney, kind, 'off']);
    }
    await event('Muted', '--tell');
    await firm.command(['task', 'add', '--matter', id, '--title', 'Muted', ...day]);
    expect(await inbox(firm, attorney)).toHaveLength(2);
    expect(await inbox(firm, owner)).toEqual([]);
    const wrong = ['--due', 'soon', '--assignee', attorney];
    await expect(
      firm.command(['task', 'add', '--matter', id, '--title', 'Wrong', ...wrong]),
    ).rejects.toThrow('--due must be a day');
    expect(await firm.command<unknown[]>(['task', 'list'])).toHaveLength(2);
  });
});

describe('DELETE of a matter', () => {
  test('tells the team that it was deleted and the guests that their event was cancelled, after archiving too', async () => {
    const firm = await makeFirm(server);
    const { id } = await makeMatter(firm, on(firm, attorney));
    await until(async () => (await kindsOf(firm, attorney)).length === 1);
    const starts = ['--starts', '2099-03-14T09:30:00Z'];
    await firm.command([
      'event',
      'add',
      '--matter',
      id,
      '--title',
      'Hearing',
      ...starts,
      '--guest',
      owner,
    ]);
    await firm.owner.delete(`/v1/matters/${id}`);
    await until(async () => (await kindsOf(firm, attorney)).length === 2);
    await until(async () => (await kindsOf(firm, owner)).length === 1);
    expect(await kindsOf(firm, attorney)).toEqual(['matter.deleted', 'matter.added']);
    expect(await kindsOf(firm, owner)).toEqual(['event.cancelled']);
    expect((await firm.owner.delete(`/v1/matters/${id}`)).status).toBe(404);
    await untilDone(firm);
    expect(await kindsOf(firm, attorney)).toHaveLength(2);
  });

  test('a refused or rolled back change tells nobody', async () => {
    const firm = await makeFirm(server);
    const { id } = await makeMatter(firm, on(firm, attorney));
    await until(async () => (await kindsOf(firm, attorney)).length === 1);
    const refused = await firm.owner.patch(`/v1/matters/${id}`, {
      status: 'ARCHIVE',
      customFields: { Unknown: 1 },
    });
    expect(refused.status).toBe(400);
    await untilDone(firm);
    expect(await kindsOf(firm, attorney)).toEqual(['matter.added']);
  });
});
