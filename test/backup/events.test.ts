import { expect, test } from 'bun:test';
import { join } from 'node:path';
import { ownFolder } from '../support/backup.ts';
import { emptyDatabase, ownDatabase } from '../support/database.ts';
import { type Caller, caller, makeFirm, startTestServer } from '../support/firm.ts';
import { run, runJson } from '../support/terminal.ts';

const folder = await ownFolder();

const eventsAfter = async (by: Caller, after: string, count: number) => {
  const ids: string[] = [];
  let cursor = after;
  for (let calls = 0; ids.length < count && calls < 30; calls += 1) {
    const path = `/v1/events?after=${cursor}&wait=10&types=contact.created`;
    const { status, body } = await by.get(path);
    expect(status).toBe(200);
    ids.push(...body.data.map(({ data }: { data: { id: string } }) => data.id));
    cursor = body.cursor;
  }
  return { ids, cursor };
};

test('the cursor of yesterday, and that of today, work after a restore of the backup in between', async () => {
  const first = await startTestServer({ databaseUrl: await ownDatabase() });
  const firm = await makeFirm(first);
  const make = async (by: Caller, lastName: string) =>
    (await by.post('/v1/contacts', { lastName })).body.data.id as string;
  const yesterday = (await firm.owner.get('/v1/events')).body.cursor;
  const kept = [await make(firm.owner, 'A'), await make(firm.owner, 'B')];
  const read = await eventsAfter(firm.owner, yesterday, 2);
  expect(read.ids).toEqual(kept);
  const file = join(folder, 'events');
  expect((await run(first.databaseUrl, ['backup', file])).exitCode).toBe(0);
  const lost = [
    await make(firm.owner, 'C'),
    await make(firm.owner, 'D'),
    await make(firm.owner, 'E'),
  ];
  const today = await eventsAfter(firm.owner, read.cursor, 3);
  expect(today.ids).toEqual(lost);
  await first.stop();

  const restored = await emptyDatabase();
  await runJson(restored, ['restore', file]);
  const second = await startTestServer({ databaseUrl: restored });
  const ada = caller(second.url, firm.owner.key);
  const fresh = [await make(ada, 'F'), await make(ada, 'G'), await make(ada, 'H')];
  // What was read up to the backup comes no more; what happened since comes once.
  expect((await eventsAfter(ada, yesterday, 5)).ids).toEqual([...kept, ...fresh]);
  expect((await eventsAfter(ada, read.cursor, 3)).ids).toEqual(fresh);
  // A cursor that the backup does not have loses nothing, and may repeat the last minute.
  expect((await eventsAfter(ada, today.cursor, 5)).ids).toEqual([...kept, ...fresh]);
});
