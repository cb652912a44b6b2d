/** Whatever is typed where nobody is signed in yet, no answer is a failure; and a password that was taken signs in. */
import { expect, test } from 'bun:test';
import { Secret } from 'otpauth';
import { setupToken } from '../../../src/sign-in/setup-link.ts';
import {
  dearRounds,
  naughtyAt,
  severalAtOnce,
  startHeard,
  wholeMilliseconds,
} from '../../api/corpus/naughty.ts';
import { type JarBrowser, openBrowser } from '../../support/cookie-jar.ts';
import { connect, onDatabase, ownDatabase, sharedDatabase } from '../../support/database.ts';
import { makeFirm } from '../../support/firm.ts';
import { partOf } from '../../support/whole.ts';

const password = 'wet-stones-by-the-river';

/** Sends forms, and keeps which answers were failures. */
const openJudge = () => {
  const faults: string[] = [];
  const judged = async (browser: JarBrowser, path: string, fields?: Record<string, string>) => {
    const ask = () => (fields ? browser.send(path, fields) : browser.get(path));
    let answer = await ask();
    // Passwords of one address are checked one by one: who waits for five seconds is to come again.
    for (let left = 20; answer.status === 429 && left > 0; left -= 1) {
      await Bun.sleep(Number(answer.headers.get('retry-after') ?? 1) * 1000);
      answer = await ask();
    }
    if (answer.status >= 500) {
      faults.push(`${answer.status} ${path} ${JSON.stringify(fields).slice(0, 300)}`);
    }
    return answer;
  };
  return { faults, judged };
};

test(
  'every naughty string in the forms of an invitation, of the sign-in and of its code is taken or refused',
  async () => {
    const databaseUrl = await sharedDatabase();
    const server = await startHeard(databaseUrl);
    const firm = await makeFirm(server);
    const sql = connect(databaseUrl);
    const { faults, judged } = openJudge();
    let taken = 0;
    /** A new member with an invitation, who is asked for a code. */
    const invited = async () => {
      const email = `${Bun.randomUUIDv7()}@harrow.example`;
      const words = ['--email', email, '--name', 'Zoe Quill', '--role', 'Owner'];
      await firm.command(['member', 'add', ...words]);
      const { link } = await firm.command<{ link: string }>([
        'member',
        'invite',
        '--member',
        email,
      ]);
      return { email, path: new URL(link).pathname };
    };
    const askForCodes = (email: string) =>
      sql`insert into authenticator (firm_id, member_id, secret, confirmed_at, last_step, created_at)
        select firm_id, id, ${new Secret({ size: 20 }).base32}, moment(), 0, moment() from member
        where firm_id = ${firm.firm.id} and email = ${email}`;
    await severalAtOnce(partOf(dearRounds, 8, String), async (round) => {
      const text = (at: number) => naughtyAt(round, at);
      const browser = openBrowser(server.url);
      const { email, path } = await invited();
      // Long enough to be taken, if nothing else is wrong with it.
      const own = `${text(0)} ${text(1)} and so on`;
      const welcome = await judged(browser, path, { password: own });
      let typed = own;
      if (welcome.status === 303) taken += 1;
      else {
        typed = password;
        expect((await judged(browser, path, { password })).status).toBe(303);
      }
      const another = openBrowser(server.url);
      const send = (fields: Record<string, string>) => judged(another, '/sign-in', fields);
      await send({
        email: text(2),
        password: text(3),
        to: text(4),
        member: text(5),
        kept: text(6),
      });
      await send({ email: text(7), password });
      await send({ email, password: text(8), to: text(9) });
      await judged(another, `/sign-in?form=${encodeURIComponent(text(10).toWellFormed())}`, {
        [text(11)]: text(12),
        name: text(13),
      });
      const signedIn = await send({ email, password: typed, to: text(14), kept: text(15) });
      expect({ typed, isIn: another.jar.has('session') }).toEqual({ typed, isIn: true });
      await judged(another, signedIn.location?.replace(server.url, '') || '/');
      await askForCodes(email);
      const third = openBrowser(server.url);
      await judged(third, '/sign-in', { email, password: typed, to: text(16) });
      await judged(third, '/sign-in/code', { code: text(17), to: text(18), kept: text(19) });
      await judged(third, '/sign-in/passkey', { answer: text(20), member: text(21) });
    });
    await sql.end();
    expect(faults).toEqual([]);
    expect(await server.failures()).toEqual([]);
    expect(taken).toBeGreaterThan(0);
  },
  wholeMilliseconds,
);

test(
  'every naughty string in the form that sets up the first firm is taken or refused',
  async () => {
    const databaseUrl = await ownDatabase();
    const server = await startHeard(databaseUrl);
    const sql = connect(databaseUrl);
    const { faults, judged } = openJudge();
    let token = '';
    const right = () => ({
      token,
      firm: 'Roe & Roe',
      timeZone: 'America/Denver',
      start: 'immigration',
      name: 'Rita Roe',
      email: 'rita@roe.example',
      password,
    });
    const fields = Object.keys(right()) as (keyof ReturnType<typeof right>)[];
    let made = 0;
    const setUp = async (input: Record<string, string>) => {
      token = (await onDatabase(databaseUrl, setupToken)) ?? '';
      const browser = openBrowser(server.url);
      const answer = await judged(browser, '/setup', { ...right(), ...input });
      if (answer.status !== 303) return;
      made += 1;
      expect((await judged(browser, '/')).status).toBe(200);
      expect((await judged(openBrowser(server.url), '/sign-in')).status).toBe(200);
      await forgetFirms();
    };
    /** As if there had never been one. */
    const forgetFirms = () =>
      sql.begin(async (turn) => {
        await turn`set local session_replication_role = replica`;
        await turn`truncate firm cascade`;
      });
    for (const round of partOf(dearRounds, 8, String)) {
      await setUp(Object.fromEntries(fields.map((name, at) => [name, naughtyAt(round, at)])));
      for (const name of ['firm', 'name'] as const) await setUp({ [name]: naughtyAt(round, 0) });
      const name = fields[round % fields.length] ?? 'firm';
      await setUp({ [name]: naughtyAt(round, 1) });
      const words = encodeURIComponent(naughtyAt(round, 2).toWellFormed());
      await judged(openBrowser(server.url), `/setup?token=${words}`);
    }
    await sql.end();
    expect(faults).toEqual([]);
    expect(await server.failures()).toEqual([]);
    expect(made).toBeGreaterThan(0);
  },
  wholeMilliseconds,
);
