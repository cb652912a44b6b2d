/** Servers that are killed while they send: no mail is lost, and one comes twice only as the same mail. */
import { expect, test } from 'bun:test';
import { certificateFiles, makeCertificate } from '../../support/certificate.ts';
import { attorney, makeFirm } from '../../support/firm.ts';
import { type Instance, startInstance } from '../../support/instances.ts';
import { runningDatabase, startMailServer, untilMailing } from '../../support/mail.ts';
import { giveNotices } from '../../support/notices.ts';
import { chanceOf } from '../../support/random.ts';
import { until } from '../../support/until.ts';

const count = Number(process.env.MAILS ?? 400);
const kills = Number(process.env.KILLS ?? 5);
const seed = Number(process.env.SEED ?? Date.now() % 100_000);

test(
  'of many mails none is lost through kills, and each has one Message-ID',
  async () => {
    const { databaseUrl, clock, sql } = await runningDatabase();
    const post = await startMailServer();
    // Now and then it puts a mail off, or hangs up without a word, before or after it took it.
    post.answerWith((_, tried) => {
      if (tried % 37 === 0) return { code: 451, words: 'Later' };
      if (tried % 101 === 0) return 'drop';
      return tried % 149 === 0 ? 'keep and drop' : 'accept';
    });
    let heard = '';
    const hear = (text: string) => {
      heard += text;
    };
    const start = () => startInstance(databaseUrl, { environment: post.environment, hear });
    let instance: Instance = await start();
    const firm = await makeFirm({ url: instance.url, databaseUrl });
    await untilMailing(sql, clock, firm.id);
    await giveNotices(databaseUrl, firm, attorney, [1, count]);

    await clock.step(61);
    const waiting = async () =>
      (await sql`select count(*)::int as n from mail where state = 'queued'`)[0]?.n as number;
    const chance = chanceOf(seed);
    const step = Math.floor(count / (kills + 2));
    for (let kill = 1; kill <= kills; kill += 1) {
      const at = kill * step + chance.from(0, step);
      await until(() => post.mails.length >= at);
      await instance.kill();
      // What was under way comes again when nobody can be at it any more.
      await clock.step(61);
      instance = await start();
    }
    const end = performance.now() + 240_000;
    const isQuiet = async () => {
      const before = post.tries.length;
      await Bun.sleep(500);
      return post.tries.length === before;
    };
    while ((await waiting()) > 0 && performance.now() < end) {
      if (await isQuiet()) await clock.step(61);
    }

    const states =
      await sql`select state, count(*)::int as n from mail group by state order by state`;
    expect([...states].map((row) => ({ ...row }))).toEqual([{ state: 'accepted', n: count }]);
    const ids = post.mails.map(({ headers }) => headers.get('message-id'));
    expect(new Set(ids).size).toBe(count);
    const stored = await sql`select message_id from mail`;
    expect(new Set(stored.map((row) => row.message_id))).toEqual(new Set(ids));
    // Each that comes again is named in the log before it is sent.
    const again = ids.filter((id, at) => ids.indexOf(id) < at);
    const named = [...heard.matchAll(/"event":"mail again",[^\n]*"mail":"([^"]+)"/g)].map(
      ([, id]) => id,
    );
    expect(again.filter((id) => !named.some((one) => id?.includes(`<${one}@`)))).toEqual([]);
    const twice = again.length;
    if (process.env.MAILS)
      console.log(`${count} mails, ${kills} kills, seed ${seed}: ${twice} came twice`);
    // Two are under way at once, and the mail server itself kept some and hung up.
    expect(twice).toBeLessThanOrEqual(2 * kills + Math.ceil((post.tries.length + 1) / 149));
    await instance.stop();
  },
  300_000 + 10_000 * kills,
);

test('a certificate that the machine trusts is accepted, on another machine too', async () => {
  const { databaseUrl, clock, sql } = await runningDatabase();
  // An address of this machine that is not its own loopback.
  const certificate = makeCertificate(['0.0.0.0']);
  const user = { name: 'office', password: 'Tall-Pine-7' };
  const post = await startMailServer({ host: '0.0.0.0', certificate, user });
  const instance = await startInstance(databaseUrl, {
    environment: {
      ...post.environment,
      NODE_EXTRA_CA_CERTS: certificateFiles(certificate).environment.TLS_CERT,
    },
  });
  const firm = await makeFirm({ url: instance.url, databaseUrl });
  await untilMailing(sql, clock, firm.id);
  await giveNotices(databaseUrl, firm, attorney, [1, 1]);
  const state = async () => (await sql`select state, words, message_id, tries from mail`)[0];
  let failed = 0;
  await until(async () => {
    const { state: now, message_id: begun, tries } = (await state()) ?? { tries: 0 };
    // The clock stands while a try is under way: a minute later another one would begin beside it.
    if (!begun || tries > failed) await clock.step(begun ? 3_600 : 31);
    failed = tries;
    return now === 'accepted';
  });
  expect(await state()).toMatchObject({ state: 'accepted' });
  expect(post.mails).toMatchObject([{ isSecure: true, user: 'office' }]);
  await instance.stop();
});
