/** @jsxImportSource preact */
import type { EventLine } from '../../calendar/list.ts';
import type { AboutRecord } from '../../visibility/subject.ts';
import { NotConfirmed } from '../confirmations.tsx';
import { useFrame } from '../frame.tsx';
import { Icon } from '../icon.tsx';
import { dayWords } from '../moments.tsx';
import { NoneYet, Panel } from '../page-parts.tsx';
import { RepeatsSign } from '../repeats.tsx';
import { Avatar } from '../words.tsx';
import { eventWhen } from './entries.tsx';

type EventsPanelProps = {
  of: Pick<AboutRecord, 'about' | 'id'>;
  events: readonly EventLine[];
  mayAdd: boolean;
  /** The ids of those that a second person has to confirm. */
  waiting?: ReadonlySet<string> | undefined;
};

const maxShown = 5;

/** The events about a record: first those to come and those that are going on, then past ones, the last first. */
export const EventsPanel = ({ of, events, mayAdd, waiting }: EventsPanelProps) => {
  const { now, today } = useFrame();
  const hasEnded = ({ startsAt, endsAt, firstDay, lastDay }: EventLine) =>
    firstDay === null ? (endsAt ?? startsAt) < now : (lastDay ?? firstDay) < today;
  const coming = events.filter((event) => !hasEnded(event));
  const past = events.filter(hasEnded);
  return (
    <Panel
      id="events"
      title="Events"
      action={
        mayAdd && (
          <a
            class="button quiet"
            href={`/calendar/new?${of.about}=${of.id}`}
            aria-label="Add an event"
          >
            <Icon name="plus" />
            Add
          </a>
        )
      }
    >
      {events.length === 0 ? (
        <NoneYet text="No events yet.">
          {mayAdd && (
            <a href={`/calendar/new?${of.about}=${of.id}`}>
              Add one<span class="hide">: event</span>
            </a>
          )}
        </NoneYet>
      ) : (
        <>
          <OneOfEach
            events={coming.toSorted((a, b) => a.startsAt.getTime() - b.startsAt.getTime())}
            waiting={waiting}
          />
          {past.length > 0 && (
            <>
              <h3>Past</h3>
              <OneOfEach events={past} waiting={waiting} arePast />
            </>
          )}
        </>
      )}
    </Panel>
  );
};

type EventRowsProps = Pick<EventsPanelProps, 'events' | 'waiting'> & { arePast?: boolean };

/** Events of which one of each series is shown, the first, and the others are folded. */
const OneOfEach = ({ events, ...rows }: EventRowsProps) => {
  const ofOneSeries = Map.groupBy(events, ({ id, seriesId }) => seriesId ?? id).values();
  const firsts = new Set(ofOneSeries.map(([first]) => first));
  const shown = events.filter((event) => firsts.has(event));
  const others = events.filter((event) => !firsts.has(event));
  return (
    <>
      {shown.length > 0 && <EventRows events={shown} {...rows} />}
      {others.length > 0 && (
        <details class="fold" id={rows.arePast ? 'past-repeating-events' : 'repeating-events'}>
          <summary>
            <Icon name="chevron-right" />
            {others.length} more that {rows.arePast ? 'repeated' : 'repeat'}
          </summary>
          <EventRows events={others} {...rows} />
        </details>
      )}
    </>
  );
};

const EventRows = ({ events, waiting, arePast = false }: EventRowsProps) => {
  const frame = useFrame();
  return (
    <ul class="rows">
      {events.map((event) => (
        <li data-row class={arePast ? 'past' : undefined}>
          <div class="grow">
            <a class="name" href={`/calendar/${event.id}`} data-key="e">
              {event.title}
            </a>
            <div class="sub">
              {event.kind && `${event.kind.name} · `}
              {eventWhen(event, frame, (day) => dayWords(day, frame.today, frame))}
            </div>
          </div>
          {waiting?.has(event.id) && <NotConfirmed />}
          {event.rrule && <RepeatsSign rrule={event.rrule} />}
          <span class="avatars">
            {event.guests.slice(0, maxShown).map(({ name, email }) => (
              <Avatar name={name ?? email} />
            ))}
            {event.guests.length > maxShown && (
              <span class="muted">+{event.guests.length - maxShown}</span>
            )}
          </span>
        </li>
      ))}
    </ul>
  );
};
