/**
 * A mail server that fails in every way while a firm's days pass, and what must hold of mails meanwhile: a mail that is
 * not taken is put off or ends, the owners hear of each end once, and what comes again is the same mail.
 */
import type postgres from 'postgres';
import { freePort } from '../support/instances.ts';
import { type Answer, startMailServer } from '../support/mail.ts';
import { chanceOf } from '../support/random.ts';

const later = { code: 451, words: '4.7.1 Greylisted, try again later' };
const never = { code: 550, words: '5.1.1 No such person' };
const spam = { code: 554, words: '5.7.1 This looks like spam' };

/** `silentMilliseconds`: after so long it hangs up on whom it says nothing to. */
type Trouble = { seed: number; addresses: readonly string[]; silentMilliseconds: number };

export const startFailingMail = async ({ seed, addresses, silentMilliseconds }: Trouble) => {
  const chance = chanceOf(seed + 1_000_000);
  const post = await startMailServer({ certificate: undefined, port: await freePort() });
  /** The Message-IDs that it refused, and the addresses with the day on which it did. */
  const refused = new Set<string>();
  /** The half days on which it was away, and how often it was silent or slow. */
  const counts = { away: 0, silent: 0, slow: 0 };
  /** For how many half days more an address refuses all mail, and the server is away. */
  const refusing = new Map<string, number>();
  let away = 0;
  let today = '';
  let silence: 'no' | 'greeting' | 'mail' = 'no';

  const beSilent = () => {
    silence = 'no';
    counts.silent += 1;
    if (silentMilliseconds < 60_000) setTimeout(post.hangUpAll, silentMilliseconds);
  };
  post.greetWhile(() => {
    if (silence !== 'greeting') return true;
    beSilent();
    return false;
  });
  post.refuseWith((to) => {
    if (!refusing.has(to)) return undefined;
    refused.add(`${to} ${today}`);
    return never;
  });
  post.answerWith(async (_, tried, messageId): Promise<Answer> => {
    if (silence === 'mail') {
      beSilent();
      return counts.silent % 4 < 2 ? 'hang' : 'keep and hang';
    }
    // The same mail is judged in the same way each time.
    if (Number(Bun.hash(messageId)) % 97 === 0) {
      refused.add(messageId);
      return spam;
    }
    if (tried % 7 === 0) return later;
    if (tried % 31 === 0) return 'drop';
    if (tried % 311 === 0) {
      counts.slow += 1;
      await Bun.sleep(chance.from(100, 800));
    }
    return tried % 47 === 0 ? 'keep and drop' : 'accept';
  });

  /** Before each half day: every 13 days it goes away for up to four days, and every 10 days an address refuses all mail for up to a week. */
  const turn = async (day: string, nth: number, isMorning: boolean) => {
    today = day;
    if (away > 0) {
      away -= 1;
      if (away === 0) await post.startAgain();
    } else if (nth % 13 === 4 && isMorning === (nth < 13 || chance.happens(0.5))) {
      // The first time just so long that the mails of a morning are given up.
      away = nth < 13 ? 3 : chance.among([1, 3, 5, 8]);
      await post.stop();
    }
    if (away > 0) counts.away += 1;
    for (const [who, left] of refusing) {
      if (left > 1) refusing.set(who, left - 1);
      else refusing.delete(who);
    }
    if (nth % 10 === 8 && isMorning) refusing.set(chance.among(addresses), chance.from(1, 14));
    if (nth % 20 === 11 && isMorning) silence = nth % 40 === 11 ? 'greeting' : 'mail';
  };
  /** From now on it takes what comes, but for a mail here and there. */
  const recover = async () => {
    refusing.clear();
    silence = 'no';
    if (away > 0) await post.startAgain();
    away = 0;
  };
  return { post, refused, counts, turn, recover };
};

type End = {
  id: string;
  who: string;
  state: 'accepted' | 'refused' | 'given_up';
  address: string | null;
  code: number | null;
  messageId: string | null;
  queuedAt: Date;
  endedAt: Date;
  on: string;
};
type Heard = { id: string | null; email: string | null; at: Date };

/**
 * What is wrong with how a firm's mails ended, and with what its owner was told of that: nothing, if all is well. `came` has
 * the Message-IDs of the mails that were taken, each with whom it went to.
 */
export const faultsOfMails = async (
  sql: postgres.Sql,
  firmId: string,
  zone: string,
  { refused, came, owner }: { refused: Set<string>; came: Map<string, string>; owner: string },
) => {
  const ends = await sql<End[]>`
    select mail.id, member.email as who, state, address, code, message_id as "messageId",
      queued_at as "queuedAt", ended_at as "endedAt", (ended_at at time zone ${zone})::date::text as on
    from mail join member on member.firm_id = mail.firm_id and member.id = mail.member_id
    where mail.firm_id = ${firmId} and state <> 'withdrawn' order by ended_at`;
  const heard = await sql<Heard[]>`
    select notification.id, about.email, notification.created_at as at from notification
    join member on member.firm_id = notification.firm_id and member.id = notification.member_id
    left join member about on about.firm_id = notification.firm_id and about.id = notification.record_id
    where notification.firm_id = ${firmId} and kind = 'mail.refused' and member.email = ${owner}`;
  const faults: string[] = [];
  const fault = (words: string, of: object) => faults.push(`${words}: ${JSON.stringify(of)}`);

  for (const end of ends) {
    const { who, state, address, code, messageId, on } = end;
    const hours = (end.endedAt?.getTime() - end.queuedAt.getTime()) / 3_600_000;
    const isRefused = refused.has(messageId ?? '') || refused.has(`${who} ${on}`);
    if (!['accepted', 'refused', 'given_up'].includes(state)) fault('never ended', end);
    if (state === 'accepted' && came.get(messageId ?? '') !== who) fault('never came', end);
    if (state === 'accepted' && refused.has(messageId ?? '')) fault('tried after a no', end);
    if (state === 'refused' && !(isRefused && address === who && code && code >= 500)) {
      fault('refused by nobody', end);
    }
    if (state === 'given_up' && hours < 24) fault('given up too early', end);
  }
  // What came again was the same mail, and each went to whom it was for.
  const known = new Map(ends.map(({ messageId, who }) => [messageId, who]));
  const withdrawn = await sql<{ messageId: string }[]>`
    select message_id as "messageId" from mail
    where firm_id = ${firmId} and state = 'withdrawn' and message_id is not null`;
  const gone = new Set(withdrawn.map(({ messageId }) => messageId));
  for (const [id, to] of came) {
    if (known.get(id) !== to && !gone.has(id)) fault('came, but is nobody’s', { id, to });
  }

  // Who could be reached by no server: the owner hears of it once on each such day, and of nothing else.
  const days = new Set<string>();
  const dayOf = (at: Date) => at.toISOString().slice(0, 10);
  for (const { state, address, endedAt } of ends) {
    if (state === 'given_up' && address === null) days.add(dayOf(endedAt));
  }
  const told = heard.filter(({ email }) => email === null).map(({ at }) => dayOf(at));
  if (told.toSorted().join() !== [...days].toSorted().join()) {
    fault('days without mail', { told, days: [...days] });
  }

  // Whose address refuses: the owner hears of it once, until it has taken a mail.
  const byMember = Map.groupBy(
    ends.filter(({ address }) => address !== null),
    ({ who }) => who,
  );
  for (const [who, its] of byMember) {
    const refusals = its.filter(({ state }) => state !== 'accepted').map(({ endedAt }) => +endedAt);
    // The clock may be put forward between a refusal and what the owner is told of it, in one transaction.
    const refusalOf = (at: number) =>
      refusals.filter((one) => one <= at && at - one <= 10_000).toSorted((a, b) => b - a)[0] ?? at;
    const toldAt = heard.filter(({ email }) => email === who).map(({ at }) => refusalOf(+at));
    let isMarked: boolean | 'perhaps' = false;
    let seen = 0;
    for (const [at, here] of Map.groupBy(its, ({ endedAt }) => endedAt.getTime())) {
      const no = here.filter(({ state }) => state !== 'accepted').length;
      const yes = here.length - no;
      const count = toldAt.filter((one) => one === at).length;
      seen += count;
      // Of one moment, nobody knows what came first.
      const least = no > 0 && isMarked === false ? 1 : 0;
      const most = isMarked === true ? Math.min(no, yes) : no > 0 ? Math.min(no, yes + 1) : 0;
      if (count < least || count > most)
        fault('told of an address', { who, at, no, yes, count, isMarked });
      isMarked = no > 0 && yes > 0 ? 'perhaps' : no > 0;
    }
    if (seen !== toldAt.length) fault('told of nothing', { who, seen, told: toldAt.length });
  }
  const ofState = (state: string) => ends.filter((one) => one.state === state).length;
  return {
    faults,
    accepted: ofState('accepted'),
    refused: ofState('refused'),
    givenUp: ofState('given_up'),
    told: heard.length,
  };
};
