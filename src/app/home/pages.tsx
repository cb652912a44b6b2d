/** @jsxImportSource preact */

import { rememberedBackup } from '../../backup/remembered.ts';
import { addDays, todayIn } from '../../base/calendar-date.ts';
import { type DateOfRecord, listDates, listMissingLimitations } from '../../calendar/dates.ts';
import { markWaiting, waitingFor } from '../../date-rules/confirming.ts';
import { awayBetween } from '../../firm/absence.ts';
import { addAssignees } from '../../leads/assignees.ts';
import { listNewLeads } from '../../leads/new-leads.ts';
import { lead } from '../../leads/table.ts';
import { ownersFrom } from '../../limitation/notice.ts';
import { datesWithoutHolder } from '../../limitation/present.ts';
import { newestNotices, unreadOf } from '../../notifications/inbox.ts';
import type { Notice } from '../../notifications/notification.ts';
import { keepingPlans } from '../../record/kept-plans.ts';
import { countOf } from '../../register/register.ts';
import type { Fields } from '../fields.ts';
import { useFrame } from '../frame.tsx';
import { type DatesOfNotices, datesOf, Line } from '../inbox/pages.tsx';
import { sayingAssigned } from '../leads/pages.ts';
import { dayAsTitle } from '../moments.tsx';
import { unreadWords } from '../numbers.ts';
import { NoneYet, Panel } from '../page-parts.tsx';
import { form, type Page, page, type Shown, type Visit } from '../visit.ts';
import { datesInWords, MyDates, seenFrom, ToConfirm, Unheld } from './dates.tsx';
import { Away, NewLeadsPanel, WhatNext } from './panels.tsx';

const maxLeads = 8;

/** Home: dates that are due, notices, and leads that wait. */
const showHome = async (visit: Visit): Promise<Shown> => {
  const { actor, may, session } = visit;
  const today = todayIn(session.timeZone);
  const reads = may('matters:read');
  // Owners get the notices of every limitation date from this day on, so they see the dates too.
  const everyLimitationTo = session.isOwner ? addDays(today, ownersFrom) : null;
  const span = { from: today, to: addDays(today, 14), mine: true, overdue: true };
  const [newest, unread, { live }, found, missing, leads, lacksBackup, unheld, away, waiting] =
    await Promise.all([
      newestNotices(keepingPlans(actor), false, { limit: 5, offset: 0 }),
      unreadOf(actor),
      countOf(actor, lead),
      reads || may('leads:read') ? listDates(actor, { ...span, everyLimitationTo }) : undefined,
      reads ? listMissingLimitations(actor) : [],
      may('leads:read') ? listNewLeads(actor, maxLeads) : undefined,
      may('firm:write') && hasNoBackup(visit),
      session.isOwner ? datesWithoutHolder(actor) : [],
      awayBetween(actor, today, today),
      reads && may('matters:write') ? waitingFor(actor) : [],
    ]);
  const [ofNotices, marked] = await Promise.all([
    datesOf(actor, newest),
    found && markWaiting(actor, found),
  ]);
  const dates = marked && seenFrom(marked, today);
  const notices = <Notices rows={newest} dates={ofNotices} unread={unread} />;
  return {
    title: 'Home',
    work: 'list',
    follows: [
      'notification',
      'receipt',
      'member',
      'lead',
      'lead_stage',
      'contact',
      'matter',
      'calendar_event',
      'task',
      'ruled_date',
      'date_rule',
    ],
    main: (
      <>
        <Today today={today} dates={dates} />
        <div class="home" id="list" tabIndex={-1}>
          <div class="stack">
            <WhatNext isNew={live === 0} lacksBackup={lacksBackup} />
            {unheld.length > 0 && <Unheld dates={unheld} today={today} />}
            {waiting.length > 0 && <ToConfirm dates={waiting} today={today} />}
            {dates ? <MyDates dates={dates} missing={missing} today={today} /> : notices}
          </div>
          <div class="stack">
            {dates && notices}
            {away.length > 0 && <Away away={away} today={today} />}
            {leads && <NewLeadsPanel found={leads} />}
          </div>
        </div>
      </>
    ),
  };
};

/** Whether this installation knows of no backup. A demonstration needs none. */
const hasNoBackup = async ({ installation, session }: Visit) => {
  if (session.isDemonstration) return false;
  const { backups, dataDirectory } = installation;
  if (backups) return (await backups.list().catch(() => [])).length === 0;
  return dataDirectory !== undefined && !(await rememberedBackup(dataDirectory));
};

type NoticesProps = {
  rows: readonly Notice[];
  dates: DatesOfNotices;
  unread: number;
};

const Notices = ({ rows, dates, unread }: NoticesProps) => (
  <Panel
    id="inbox"
    title="Inbox"
    action={
      <a class="button quiet" href="/inbox">
        {unread > 0 ? `See all (${unreadWords(unread)} unread)` : 'See all'}
      </a>
    }
  >
    {rows.length === 0 ? (
      <NoneYet text="No notifications." />
    ) : (
      <ul class="rows notices">
        {rows.map((notice) => (
          <Line notice={notice} dates={dates} />
        ))}
      </ul>
    )}
  </Panel>
);

/** The firm's day in words, as the title of the page. */
const Today = ({ today, dates }: { today: string; dates: readonly DateOfRecord[] | undefined }) => {
  const words = dayAsTitle(today, useFrame());
  return (
    <div class="head">
      <h1>{words}</h1>
      {dates && <p class="muted">{datesInWords(dates, today)}</p>}
    </div>
  );
};

const assignToMe = async (visit: Visit, fields: Fields) => {
  const id = fields.text('assign') ?? '';
  const change = await addAssignees(visit.actor, id, [visit.session.member.id]);
  return sayingAssigned(visit, '/', id, change);
};

const homePage = page('/', 'member', showHome);

export const homePages: Page[] = [homePage, form('/', 'leads:write', assignToMe, homePage)];
