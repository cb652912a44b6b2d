/** @jsxImportSource preact */
import { dayIn } from '../../base/calendar-date.ts';
import type { MyDate } from '../../calendar/my-dates.ts';
import type { NewLead, NewLeads } from '../../leads/new-leads.ts';
import { Act } from '../form.tsx';
import { useFrame } from '../frame.tsx';
import { Icon } from '../icon.tsx';
import { Empty, Panel } from '../list.tsx';
import { clockTime, daysBetween, dayWords, spanWords } from '../moments.tsx';
import type { Visit } from '../visit.ts';
import { Avatar } from '../words.tsx';

/** The member's dates, from overdue ones to the end of the next days. */
export const MyDates = ({ dates, today }: { dates: readonly MyDate[]; today: string }) => {
  const groups = [
    { title: 'Overdue', look: 'late', of: dates.filter(({ day }) => day < today) },
    { title: 'Today', look: undefined, of: dates.filter(({ day }) => day === today) },
    { title: 'The next 14 days', look: undefined, of: dates.filter(({ day }) => day > today) },
  ].filter(({ of }) => of.length > 0);
  return (
    <section class="panel dates" aria-labelledby="dates-title">
      <header>
        <h2 id="dates-title">My dates</h2>
      </header>
      {groups.length === 0 && (
        <Empty says="You have no limitation dates or events in the next 14 days." />
      )}
      {groups.map(({ title, look, of }) => (
        <>
          <h3 class={look}>{title}</h3>
          <ul>
            {of.map((date) => (
              <DateLine date={date} today={today} />
            ))}
          </ul>
        </>
      ))}
    </section>
  );
};

const DateLine = ({ date, today }: { date: MyDate; today: string }) => {
  const { admits, timeZone } = useFrame();
  const { kind, title, day, startsAt, matter } = date;
  const name = kind === 'limitation' ? `Limitation: ${matter.title}` : (title ?? '');
  const isToday = day === today;
  return (
    <li>
      <Icon name={kind === 'limitation' ? 'scale' : 'calendar'} />
      <div>
        {admits('/matters/:id') ? (
          <a class="name" href={`/matters/${matter.id}`}>
            {name}
          </a>
        ) : (
          <span class="name">{name}</span>
        )}
        <div class="sub">
          {matter.number} · {kind === 'limitation' ? matter.practiceAreaName : matter.title}
        </div>
      </div>
      <div class={kind === 'limitation' ? 'end tone-danger' : 'end'}>
        {isToday && startsAt ? clockTime(startsAt, timeZone) : daysAway(day, today)}
        {!isToday && (
          <div class="small">
            <time dateTime={day}>{dayWords(day, today)}</time>
            {startsAt && `, ${clockTime(startsAt, timeZone)}`}
          </div>
        )}
      </div>
    </li>
  );
};

/** How far off a day is: `11 days past`, `today`, `in 2 days`. */
const daysAway = (day: string, today: string) => {
  const days = daysBetween(today, day);
  if (days === 0) return 'Today';
  const words = `${Math.abs(days)} ${Math.abs(days) === 1 ? 'day' : 'days'}`;
  return days < 0 ? `${words} past` : `in ${words}`;
};

/** How many dates are overdue, and how many come. */
export const datesInWords = (dates: readonly MyDate[], today: string) => {
  const overdue = dates.filter(({ day }) => day < today).length;
  const coming = dates.length - overdue;
  return `${overdue === 0 ? 'Nothing' : overdue} overdue, ${coming} in the next 14 days`;
};

/** After this time a new lead has waited too long. */
const longWait = 2 * 86_400;

/** The new leads that are assigned to the reader or to nobody. */
export const NewLeadsPanel = ({ found }: { found: NewLeads }) => {
  const { stageId, rows, mine, nobodys } = found;
  const list = (assignee: string) => `/leads?view=list&stage=${stageId}&assignee=${assignee}`;
  return (
    <Panel
      id="new-leads"
      title="New leads"
      action={
        rows.length > 0 && (
          <span class="row">
            {mine > 0 && (
              <a class="button quiet" href={list('me')}>
                Mine, {mine}
              </a>
            )}
            {nobodys > 0 && (
              <a class="button quiet" href={list('none')}>
                Nobody’s, {nobodys}
              </a>
            )}
          </span>
        )
      }
    >
      {rows.length === 0 ? (
        <Empty says="No new lead waits for you." />
      ) : (
        <ul class="rows">
          {rows.map((lead) => (
            <LeadLine lead={lead} />
          ))}
        </ul>
      )}
    </Panel>
  );
};

const LeadLine = ({ lead }: { lead: NewLead }) => {
  const { visit, now } = useFrame();
  const { may, session } = visit as Visit;
  const { id, contactName, practiceAreaName, isMine, since } = lead;
  const name = contactName ?? 'Contact deleted';
  const seconds = Math.max(0, (now.getTime() - since.getTime()) / 1000);
  const waits = `waiting ${spanWords(seconds)}`;
  return (
    <li>
      <div class="grow">
        <a class="name" href={`/leads/${id}`} data-key="e">
          {name}
        </a>
        <div class="sub">
          {practiceAreaName ?? 'No area'} ·{' '}
          {seconds >= longWait ? <span class="tone-warn">{waits}</span> : waits}
        </div>
      </div>
      {isMine && <Avatar name={session.member.name} />}
      {!isMine && may('leads:write') && (
        <Act action="/" fields={{ assign: id }} look="button small" label={`Assign to me: ${name}`}>
          Assign to me
        </Act>
      )}
    </li>
  );
};

/** The day a number of days after another. */
export const dayAfter = (day: string, days: number) => {
  const at = new Date(`${day}T00:00:00Z`);
  at.setUTCDate(at.getUTCDate() + days);
  return at.toISOString().slice(0, 10);
};

/** The firm's present day. */
export const todayOf = ({ session }: Visit) => dayIn(new Date(), session.timeZone);
