/**
 * Nobody is left untold: a firm's days pass while one of its two servers is always being killed and its mail server puts
 * off, refuses, hangs up, stalls, or is away for days. `UNTOLD_DAYS` from `UNTOLD_FROM` on, `UNTOLD_DATES` a day and
 * `SEED` make the run longer, which `UNTOLD_MINUTES` ends early; it then prints its figures.
 */
import { expect, test } from 'bun:test';
import { wakeRunners } from '../../../src/jobs/runner.ts';
import { attorney, makeFirm, owner, startTestServer, usualBlueprint } from '../../support/firm.ts';
import { startKilled } from '../../support/killed-instances.ts';
import { untilMailing } from '../../support/mail.ts';
import { chanceOf } from '../../support/random.ts';
import { visitorOf } from '../../support/visitor.ts';
import { faultsOfMails, startFailingMail } from '../failing-mail.ts';
import { guardedDatabase } from '../guarded.ts';

const days = Number(process.env.UNTOLD_DAYS ?? 17);
const datesADay = Number(process.env.UNTOLD_DATES ?? 3);
const minutes = Number(process.env.UNTOLD_MINUTES ?? Number.POSITIVE_INFINITY);
const seed = Number(process.env.SEED ?? 1);
const chance = chanceOf(seed);

const staff = 'pat@harrow.example';
const zone = 'America/New_York';
const firstDay = process.env.UNTOLD_FROM ?? '2016-02-01';

const plus = (day: string, count: number) =>
  new Date(Date.parse(`${day}T00:00:00Z`) + count * 86_400_000).toISOString().slice(0, 10);

const guarded = await guardedDatabase();
const { databaseUrl, sql, clock, put, momentOf, settled } = guarded;
await clock.standAt(Date.parse(`${plus(firstDay, -1)}T12:00:00Z`));
// A mail is removed 90 days after it ended: of a longer run, all are asked about at its end.
await sql.unsafe(`
  create function keep_mail() returns trigger language plpgsql as 'begin return null; end';
  create trigger keep_mail before delete on mail for each row execute function keep_mail()`);
// A server waits for half a minute for one that says nothing: a short run does not.
const silentMilliseconds = days > 30 ? Number.POSITIVE_INFINITY : 500;
const addresses = [owner, attorney, staff];
const failing = await startFailingMail({ seed, addresses, silentMilliseconds });
const { post } = failing;
const { environment } = post;
const server = await startTestServer({ databaseUrl, environment });

const isWorkingDay = (day: string) => ![0, 6].includes(new Date(`${day}T00:00:00Z`).getUTCDay());

/** A limitation date as it stood: from a day on, until another; and the days on which somebody said that they have it. */
type Standing = {
  id: string;
  date: string;
  hasAttorney: boolean;
  from: string;
  until: string | null;
  held: string[];
};

/** A notice that a member got on a day of the firm, of a matter or of several, and how its mail stands. */
type Told = {
  who: string;
  kind: string;
  cause: string;
  id: string | null;
  on: string;
  state: string | null;
  messageId: string | null;
};

/** What the promise is, said a second time: the firm's usual reminders and limits, without a holiday. */
const steps = [180, 90, 60, 30, 14, 7, 1];
const ladderOf = (one: Standing) => steps.map((step) => ({ step, day: plus(one.date, -step) }));
const stands = (one: Standing, day: string) =>
  day > one.from && (one.until === null || day < one.until) && day <= one.date;
/** The day of the step at which a date is on a day: what was held before it counts no more. */
const stepBegan = (one: Standing, day: string) =>
  ladderOf(one).findLast((step) => step.day <= day)?.day ?? null;

/** The days on which the owners must have been told at the latest: nobody had the date for three turns. */
const ownersTold = (one: Standing, lastDay: string): string[] => {
  const found = [];
  for (let day = plus(one.from, 1); day <= lastDay && stands(one, day); day = plus(day, 1)) {
    const began = stepBegan(one, day);
    // It is acknowledged at noon, and looked at in the morning.
    if (!began || one.held.some((at) => at >= began && at < day)) continue;
    const left = (Date.parse(one.date) - Date.parse(day)) / 86_400_000;
    if (left > 3 && !isWorkingDay(day)) continue;
    const lastHeld = one.held.filter((at) => at < day).at(-1) ?? '';
    const asked = [one.from, ...ladderOf(one).map((step) => step.day)]
      .filter((at) => at >= one.from && stepBegan(one, at) && at > lastHeld && at <= day)
      .sort()[0];
    if (!asked) continue;
    let passed = 0;
    for (let at = plus(asked, 1); at <= day; at = plus(at, 1)) passed += isWorkingDay(at) ? 1 : 0;
    const limit = left <= 3 ? 0 : left <= 14 ? 1 : 2;
    if (passed >= 3 * limit) found.push(day);
  }
  return found;
};

test(
  'each date is told at each step, and the owners of what nobody has; nobody twice on a day',
  async () => {
    const firm = await makeFirm(server, {
      members: [...usualBlueprint.members, { email: staff, name: 'Pat Reed', role: 'Attorney' }],
    });
    await sql`update firm set time_zone = ${zone} where id = ${firm.id}`;
    await untilMailing(sql, clock, firm.id);
    // In a long run a server lives longer: its start costs as much as hundreds of mails.
    const rest = days > 100 ? 20_000 : 400;
    const instances = await startKilled(databaseUrl, 1, chance.random, rest, environment);
    const dates: Standing[] = [];
    const newest = new Map<string, Standing>();
    const came = new Map<string, string>();
    let day = firstDay;
    const begun = performance.now();
    const isOver = () => performance.now() - begun > minutes * 60_000;

    const stand = (one: Standing) => {
      dates.push(one);
      newest.set(one.id, one);
    };

    const open = async () => {
      const hasAttorney = chance.happens(0.7);
      const team = [
        ...(hasAttorney ? [{ memberId: firm.members[attorney] }] : []),
        ...(chance.happens(0.5)
          ? [{ memberId: firm.members[staff], role: 'RESPONSIBLE_STAFF' }]
          : []),
      ];
      const date = plus(day, chance.from(1, 100));
      const { status, body } = await firm.owner.post('/v1/matters', {
        practiceAreaId: firm.practiceAreas.Family?.id,
        openDate: day,
        solDate: date,
        title: 'Quill v. Rook',
        team,
      });
      expect(status).toBe(201);
      stand({ id: body.data.id, date, hasAttorney, from: day, until: null, held: [] });
    };
    const ada = await visitorOf(server, firm, owner);
    const change = async (one: Standing) => {
      if (chance.happens(0.3)) {
        const answer = await ada.post(`/matters/${one.id}/status`, { status: 'ARCHIVE' });
        expect(answer.status).toBe(303);
        one.until = day;
        return;
      }
      const date = plus(day, chance.from(1, 100));
      if (date === one.date) return;
      const answer = await firm.owner.patch(`/v1/matters/${one.id}`, { solDate: date });
      expect(answer.status).toBe(200);
      one.until = day;
      stand({ ...one, date, from: day, until: null, held: [] });
    };
    /** Somebody says that they have some of the dates that they see in their inbox. */
    const acknowledge = async () => {
      const who = chance.among([attorney, owner]);
      const visitor = await visitorOf(server, firm, who);
      const asked = await sql<{ id: string; day: string }[]>`
        select distinct matter_id as id, day::text as day from receipt
        where firm_id = ${firm.id} and member_id = ${firm.members[who] ?? ''}
          and acknowledged_at is null and withdrawn_at is null`;
      for (const { id, day: date } of asked) {
        if (!chance.happens(0.15)) continue;
        const answer = await visitor.post(`/matters/${id}/limitation/acknowledged`, { day: date });
        expect(answer.status).toBe(303);
        newest.get(id)?.held.push(day);
      }
    };
    /** Lets the time pass in which the mails are tried that are due in the next minutes. */
    const mailed = async (minutes: number) => {
      await settled();
      for (;;) {
        const [next] = await sql`
          select extract(epoch from min(next_try_at) - moment())::float8 as seconds from mail
          where firm_id = ${firm.id} and state = 'queued'
            and next_try_at <= moment() + make_interval(mins => ${minutes})`;
        if (next?.seconds == null) break;
        // A mail that is on its way is not overtaken by the next minute; those that are due in it are tried together.
        if (post.isIdle()) {
          await clock.step(next.seconds > 0 ? Math.max(next.seconds, 60) : 5);
          wakeRunners();
        }
        await Bun.sleep(10);
      }
      // Ten years of mails would not fit into memory.
      for (const { headers, to } of post.mails.splice(0)) {
        came.set(headers.get('message-id') ?? '', to.join());
      }
    };

    await instances.during(async () => {
      for (let count = 0; count < days && !isOver(); count += 1, day = plus(firstDay, count)) {
        await failing.turn(day, count, true);
        await put(await momentOf(day, '07:00', zone));
        await mailed(10);
        await failing.turn(day, count, false);
        await put(await momentOf(day, '12:00', zone));
        await acknowledge();
        for (const one of [...newest.values()]) {
          if (one.date < day) newest.delete(one.id);
          else if (stands(one, day) && chance.happens(0.01)) await change(one);
        }
        for (let nth = 0; nth < datesADay; nth += 1) await open();
        await mailed(10);
      }
      // However quick the machine is, some of it went on through kills.
      while (instances.kills() < 3) await Bun.sleep(20);
    });
    const lastDay = plus(day, -1);
    await failing.recover();
    await mailed(24 * 60);

    const told = await sql<Told[]>`
      select member.email as who, notification.kind, notification.cause, notification.record_id as id,
        (notification.created_at at time zone ${zone})::date::text as on,
        mail.state, mail.message_id as "messageId"
      from notification
      join member on member.firm_id = notification.firm_id and member.id = notification.member_id
      left join mail on mail.firm_id = notification.firm_id and mail.notification_id = notification.id
      where notification.firm_id = ${firm.id} and notification.kind like 'limitation.%'`;
    const causes = new Set(told.map(({ who, cause }) => `${who} ${cause}`));
    const ownerHeard = new Set(
      told.flatMap(({ who, on, id, kind, cause }) =>
        who === owner ? [`${on} ${kind === 'limitation.unheld' && cause === on ? 'all' : id}`] : [],
      ),
    );
    const missing: string[] = [];
    let steppedCount = 0;
    let ownersCount = 0;
    for (const one of dates) {
      for (const { step, day: at } of ladderOf(one)) {
        if (!stands(one, at) || at > lastDay) continue;
        const who = one.hasAttorney ? [attorney, ...(step <= 7 ? [owner] : [])] : [owner];
        for (const email of who) {
          steppedCount += 1;
          if (!causes.has(`${email} ${one.id}:${one.date}:${step}`)) {
            missing.push(`${email} was not told ${step} days before ${JSON.stringify(one)}`);
          }
        }
      }
      for (const at of ownersTold(one, lastDay)) {
        ownersCount += 1;
        const isTold = ownerHeard.has(`${at} ${one.id}`) || ownerHeard.has(`${at} all`);
        if (!isTold) missing.push(`no owner was told on ${at} of ${JSON.stringify(one)}`);
      }
    }
    expect(missing).toEqual([]);
    const passed = (Date.parse(day) - Date.parse(firstDay)) / 86_400_000;
    expect(steppedCount).toBeGreaterThan(passed / 2);
    expect(ownersCount).toBeGreaterThan(passed / 2);

    // Of one date, or of all that nobody has, a member hears once on a day. A date that was moved is another one.
    const moved = new Set(dates.map(({ id, until }) => `${id} ${until}`));
    const isMoved = (id: string | null, on: string) => moved.has(`${id} ${on}`);
    const twice = [...Map.groupBy(told, ({ who, id, on }) => `${who} ${id} ${on}`).values()].filter(
      ([one, ...others]) => one && others.length > (isMoved(one.id, one.on) ? 1 : 0),
    );
    expect(twice).toEqual([]);
    // Nor by the notice of a date, and by one of several in which the date is named too.
    const named = await sql`
      select member_id, matter_id, receipt.day, (told_at at time zone ${zone})::date as on
      from receipt where firm_id = ${firm.id} and told_at is not null
      group by 1, 2, 3, 4 having count(distinct notification_id) > 1`;
    expect([...named]).toEqual([]);
    const repeated =
      told.length - new Set(told.map(({ who, kind, cause }) => who + kind + cause)).size;
    expect(repeated).toBe(0);

    // Each notice has its mail, which does not come as another one.
    expect(told.filter(({ state }) => state === null)).toEqual([]);
    const ids = told.flatMap(({ messageId }) => messageId ?? []);
    expect(new Set(ids).size).toBe(ids.length);
    const kept = { refused: failing.refused, came, owner };
    const { faults, ...mails } = await faultsOfMails(sql, firm.id, zone, kept);
    expect(faults).toEqual([]);
    expect(mails.refused).toBeGreaterThan(0);
    expect(mails.givenUp).toBeGreaterThan(0);
    if (process.env.UNTOLD_DAYS) {
      console.log(
        `seed ${seed}: ${passed} days, ${dates.length} dates, ${told.length} notices, ${instances.kills()} kills; ${steppedCount} steps and ${ownersCount} days of owners as promised; ${post.tries.length} tries of mails`,
        { ...mails, ...failing.counts },
      );
    }

    // It can see: the owner was not told of an address, or was told of a mail that did not come.
    await sql`delete from notification where firm_id = ${firm.id} and kind = 'mail.refused'
      and id = (select min(id) from notification where kind = 'mail.refused' and record_id is not null)`;
    kept.came.clear();
    const seen = (await faultsOfMails(sql, firm.id, zone, kept)).faults.join();
    expect(seen).toContain('told of an address');
    expect(seen).toContain('never came');
  },
  300_000 + 5_000 * days,
);
