/** Two servers that send at once from one database: each mail is sent by one of them, and comes once. */
import { expect, test } from 'bun:test';
import { attorney, makeFirm } from '../../support/firm.ts';
import { startInstance } from '../../support/instances.ts';
import { type Answer, runningDatabase, startMailServer, untilMailing } from '../../support/mail.ts';
import { giveNotices } from '../../support/notices.ts';
import { until } from '../../support/until.ts';

const count = 200;

test('of two instances that send at once both send some, and each mail comes once', async () => {
  const { databaseUrl, clock, sql } = await runningDatabase();
  const post = await startMailServer();
  const environment = {
    ...post.environment,
    MATTERHORN_LOG: '',
  };
  const start = async () => {
    let log = '';
    const instance = await startInstance(databaseUrl, {
      environment,
      hear: (text) => (log += text),
    });
    /** The mails that it sent, by its log. */
    const sent = () =>
      log
        .slice(0, log.lastIndexOf('\n') + 1)
        .split('\n')
        .filter((line) => line.includes('"event":"mail"'))
        .map((line) => JSON.parse(line).mail as string);
    return { ...instance, sent };
  };
  const instances = await Promise.all([start(), start()]);
  const [first] = instances;
  const firm = await makeFirm({ url: first.url, databaseUrl });
  await untilMailing(sql, clock, firm.id);

  // Of one firm an instance sends two mails at a time: a third that is under way is the other one's.
  let underWay = 0;
  const both = Promise.withResolvers<void>();
  post.answerWith(async (): Promise<Answer> => {
    underWay += 1;
    if (underWay === 3) both.resolve();
    await both.promise;
    return 'accept';
  });
  await giveNotices(databaseUrl, firm, attorney, [1, count]);
  await until(async () => {
    // Whichever instance looks first takes the job; until the other had it, there is one for it.
    await sql`update job set run_at = least(run_at, moment()) where kind = 'send_mails'`;
    return underWay >= 3;
  });
  await until(
    async () => (await sql`select from mail where state = 'queued' limit 1`).length === 0,
  );

  const stored = await sql`select id::text as id, state, message_id from mail order by id`;
  expect(stored.map(({ state }) => state)).toEqual(stored.map(() => 'accepted'));
  expect(stored.length).toBeGreaterThanOrEqual(count);
  const came = post.mails.map(({ headers }) => headers.get('message-id'));
  expect(came.toSorted()).toEqual(stored.map((row) => row.message_id).toSorted());
  await Promise.all(instances.map(({ stop }) => stop()));
  const sent = () => instances.map((one) => one.sent());
  await until(() => sent().flat().length >= stored.length);
  expect(sent().flat().toSorted()).toEqual(stored.map(({ id }) => id));
  for (const its of sent()) expect(its.length).toBeGreaterThan(0);
});
