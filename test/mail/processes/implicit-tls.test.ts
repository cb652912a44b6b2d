/** Mail servers that are encrypted from the first byte: `smtps://`. */
import { expect, test } from 'bun:test';
import { certificateFiles, makeCertificate } from '../../support/certificate.ts';
import { ownDatabase } from '../../support/database.ts';
import { attorney, makeFirm } from '../../support/firm.ts';
import { startInstance } from '../../support/instances.ts';
import { runningDatabase, startMailServer, untilMailing } from '../../support/mail.ts';
import { giveNotices } from '../../support/notices.ts';
import { until } from '../../support/until.ts';

// An address of this machine that is not its own loopback: there certificates are checked.
const host = '0.0.0.0';

test('a mail goes by smtps:// to a server whose certificate is right, and to none with a wrong one', async () => {
  const { databaseUrl, clock, sql } = await runningDatabase();
  const [right, ofAnother] = [makeCertificate([host]), makeCertificate(['mail.quill.example'])];
  const believed = { ...right, certificate: right.certificate + ofAnother.certificate };
  const user = { name: 'office', password: 'Tall-Pine-7' };
  const startWith = (certificate: typeof right, port = 0) =>
    startMailServer({ host, certificate, isEncrypted: true, user, port });
  let post = await startWith(right);
  const { port } = post;
  const instance = await startInstance(databaseUrl, {
    environment: {
      ...post.environment,
      NODE_EXTRA_CA_CERTS: certificateFiles(believed).environment.TLS_CERT,
    },
  });
  const firm = await makeFirm({ url: instance.url, databaseUrl });
  await untilMailing(sql, clock, firm.id);

  /** Waits until so many of the mails are as they must be; what rests is tried again meanwhile. */
  const untilStands = (state: string, words: string, count: number) =>
    until(async () => {
      const found = await sql`
        select from mail where kind = 'notice' and state = ${state} and words like ${`%${words}%`}`;
      if (found.length < count) await clock.step(31);
      return found.length === count;
    });
  await giveNotices(databaseUrl, firm, attorney, [1, 1]);
  await untilStands('accepted', 'queued as', 1);
  const mail = post.mails.find(({ headers }) => headers.get('subject') === 'Notice 1');
  expect(mail).toMatchObject({ isSecure: true, user: 'office' });

  await giveNotices(databaseUrl, firm, attorney, [2, 2]);
  for (const [certificate, words] of [
    [makeCertificate([host]), 'self_signed certificate'],
    [ofAnother, 'altnames'],
  ] as const) {
    await post.stop();
    post = await startWith(certificate, port);
    await untilStands('queued', words, 1);
    expect(post.tries).toEqual([]);
  }
  await instance.stop();
});

test.each([
  ['mail.harrow.example', 'MAIL_URL must be an address like smtp://user:password@'],
  ['smtp://office:Tall%-Pine-7@mail.harrow.example', 'a % that begins no code: % itself is %25'],
])('a server with the MAIL_URL %s does not start, and says what it must be', async (url, words) => {
  const environment = { MAIL_URL: url, MAIL_FROM: 'office@harrow.example' };
  const said = await startInstance(await ownDatabase(), { environment }).catch(String);
  expect(said).toContain(words);
  expect(said).not.toContain('Pine');
});
