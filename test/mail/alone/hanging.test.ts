/** Mail servers that take the connection and then say nothing: nothing else waits for them. */
import { expect, test } from 'bun:test';
import type { AddressInfo } from 'node:net';
import { createServer, type Socket } from 'node:net';
import { memberBrowser } from '../../support/app.ts';
import { atEnd } from '../../support/at-end.ts';
import { attorney, makeFirm, owner, startTestServer } from '../../support/firm.ts';
import { runningDatabase, startMailServer } from '../../support/mail.ts';
import { giveNotices } from '../../support/notices.ts';
import { untilItDoes as until } from '../../support/until.ts';

/** A server that takes connections and never says a word. */
const startSilentServer = async () => {
  const held = new Set<Socket>();
  const server = createServer((socket) => void held.add(socket.on('error', () => {})));
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  atEnd(() => {
    for (const socket of held) socket.destroy();
    server.close();
  });
  return { host: '127.0.0.1', port: (server.address() as AddressInfo).port, held };
};

const firmsOfEach = 5;

test('mail servers that never answer, from the first word or after a mail’s last line, hold up no other firm’s mail and no other work', async () => {
  const { databaseUrl, clock, sql } = await runningDatabase();
  const server = await startTestServer({ databaseUrl });
  const [silent, hanging, sane] = await Promise.all([
    startSilentServer(),
    startMailServer(),
    startMailServer(),
  ]);
  hanging.answerWith(() => 'hang');
  const mailingTo = async ({ host, port }: { host: string; port: number }) => {
    const firm = await makeFirm(server);
    const ada = await memberBrowser(server, firm, owner);
    const account = { host, port: String(port), from: 'office@harrow.example' };
    const ways = { security: 'starttls', signsInBy: 'nothing' };
    const saved = await ada.send('/settings/mail', { ...account, ...ways });
    expect(saved.location).toBe('/settings/mail?saved=%2Fsettings%2Fmail');
    return firm;
  };
  const stuck = [];
  for (const post of [silent, hanging]) {
    for (let nth = 0; nth < firmsOfEach; nth += 1) stuck.push(await mailingTo(post));
  }
  const other = await mailingTo(sane);
  const states = async (firm: { id: string }) =>
    (await sql`select state, tries::int as tries from mail where firm_id = ${firm.id}`).map(
      ({ state, tries }) => ({ state, tries }),
    );

  for (const firm of stuck) await giveNotices(databaseUrl, firm, attorney, [1, 20]);
  await until(() => silent.held.size >= firmsOfEach && hanging.tries.length >= firmsOfEach);
  const begun = performance.now();
  await giveNotices(databaseUrl, other, attorney, [1, 20]);
  const lead = await other.owner.post('/v1/leads', { lastName: 'Quill' });
  expect(lead.status).toBe(201);
  await until(async () => (await states(other)).every(({ state }) => state === 'accepted'));
  expect(sane.mails).toHaveLength(20);
  await clock.step(61);
  await until(
    async () =>
      (await sql`select from notification where firm_id = ${other.id} and kind = 'lead.new'`)
        .length > 0,
  );
  // Nobody had waited for a mail server to give up.
  expect(performance.now() - begun).toBeLessThan(14_000);
  for (const firm of stuck) {
    expect((await states(firm)).filter(({ state }) => state !== 'queued')).toEqual([]);
  }

  // Each of them has an end, and counts as one try for all that wait.
  for (const firm of stuck) {
    await until(async () => (await states(firm)).every(({ tries }) => tries >= 1));
    expect((await states(firm)).every(({ state }) => state === 'queued')).toBe(true);
  }
  const [most] = await sql`select max(tries)::int as n from mail where state = 'queued'`;
  expect(most?.n).toBeLessThanOrEqual(2);
});
