/** @jsxImportSource preact */
import { ICalCalendar } from 'ical-generator';
import { digestOf } from '../../api-keys/secret.ts';
import { calendarProgram, hours, oneLine, uidOf, wholeDays } from '../../base/ics.ts';
import { notFound, Refusal } from '../../base/refusal.ts';
import type { DateOfRecord } from '../../calendar/dates.ts';
import { makeFeed, readFeed, revokeFeed } from '../../calendar/feed.ts';
import { type MarkedDate, markWaiting } from '../../date-rules/confirming.ts';
import { openRateLimit } from '../../http/rate-limit.ts';
import { readsDates } from '../about.ts';
import { originOf } from '../cookies.ts';
import { seeOther } from '../headers.ts';
import { showOnce } from '../settings/secret.tsx';
import { form, type OpenVisit, type Page, page, type Shown, type Visit } from '../visit.ts';
import { nameOf, pathOf } from './entries.tsx';

/** Calendars read a feed every few minutes. This limits the reads from one network address. */
const asked = openRateLimit({ perSecond: 1, burst: 60 });

const countAsked = ({ settings, address }: OpenVisit, secret: string) => {
  if (settings.rateLimit === 'off') return;
  const names = [`address ${address}`, `feed ${digestOf(secret).toString('hex')}`];
  const wait = Math.max(0, ...names.map((name) => asked.spend(name).retryAfterSeconds ?? 0));
  if (wait === 0) return;
  throw new Refusal('rate_limited', 'This calendar is read too often. Wait, then try again.', {
    'retry-after': String(wait),
  });
};

const giveFeed = async (visit: OpenVisit<'/calendar/feed/:file'>): Promise<Response> => {
  const { file } = visit.parameters;
  const secret = file.replace(/\.ics$/, '');
  countAsked(visit, secret);
  const feed = file.endsWith('.ics') ? await readFeed(visit.database, secret) : undefined;
  if (!feed) throw notFound();
  const dates = await markWaiting(feed.reader, feed.dates);
  return new Response(calendarText(feed.firmName, dates, originOf(visit)), {
    headers: { 'content-type': 'text/calendar; charset=utf-8' },
  });
};

/** The dates as an iCalendar file (RFC 5545). Days are days; hours are written in UTC. */
const calendarText = (firmName: string, dates: MarkedDate[], origin: string): string => {
  const calendar = new ICalCalendar({
    name: oneLine(`${firmName}: my dates`),
    prodId: calendarProgram,
    ttl: 3_600,
  });
  for (const date of dates) {
    calendar.createEvent({
      ...timeOf(date),
      id: uidOf(date.kind, date.id),
      summary: oneLine(
        `${date.isWaiting ? 'Not confirmed: ' : ''}${date.kind === 'task' ? 'Task: ' : ''}${nameOf(date)}`,
      ),
      description: oneLine(`${date.record.number} ${date.record.title}`),
      ...(date.eventKind !== null && { categories: [{ name: oneLine(date.eventKind) }] }),
      url: origin + pathOf(date),
    });
  }
  return calendar.toString();
};

const timeOf = ({ startsAt, endsAt, day, lastDay }: DateOfRecord) =>
  startsAt ? hours(startsAt, endsAt) : wholeDays(day, lastDay);

const make = async (visit: Visit): Promise<Shown> => {
  const secret = await makeFeed(visit.actor);
  return showOnce({
    title: 'Your calendar feed link',
    label: 'The link of your calendar feed',
    secret: `${originOf(visit)}/calendar/feed/${secret}.ics`,
    back: '/settings/me#feed',
    children: (
      <>
        <h2>Copy the link now: it is shown only once</h2>
        <p>
          Subscribe to the link in your calendar program. Anyone with the link can read your dates:
          do not share it.
        </p>
      </>
    ),
  });
};

const revoke = async ({ actor }: Visit) => {
  await revokeFeed(actor);
  return '/settings/me?saved=feed#feed';
};

const settingsPage = page('/settings/me', 'member', async () => seeOther('/settings/me'));

export const feedPages: Page[] = [
  page('/calendar/feed/:file', 'open', giveFeed),
  form('/settings/me/feed', readsDates, make, settingsPage),
  form('/settings/me/feed/revoke', 'member', revoke, settingsPage, {
    said: 'The feed link no longer works.',
  }),
];
