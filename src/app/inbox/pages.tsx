/** @jsxImportSource preact */

import { waitingOfNotices } from '../../mail/waiting.ts';
import { endedAmong } from '../../notifications/ended.ts';
import { listInbox, markAllRead, markNotice, unreadOf } from '../../notifications/inbox.ts';
import type { Notice } from '../../notifications/notification.ts';
import type { NotificationKind } from '../../notifications/table.ts';
import { targetOf } from '../../notifications/target.ts';
import { askedAmong } from '../../receipts/asked.ts';
import { keepingPlans } from '../../record/kept-plans.ts';
import { cameFrom } from '../address.ts';
import { NotConfirmed } from '../confirmations.tsx';
import type { Fields } from '../fields.ts';
import { Act } from '../form.tsx';
import { useFrame } from '../frame.tsx';
import { Icon, type IconName } from '../icon.tsx';
import { Foot, pageIn, Tabs } from '../list.tsx';
import { Moment } from '../moments.tsx';
import { unreadWords } from '../numbers.ts';
import { Empty, Title } from '../page-parts.tsx';
import { Ended, HaveIt, HaveThem, whenAsked } from '../receipts.tsx';
import { saying } from '../said.ts';
import { form, type Page, page, type Shown, type Undo, type Visit } from '../visit.ts';
import { Unbroken } from '../words.tsx';

const icons: Partial<Record<NotificationKind, IconName>> = {
  'lead.new': 'funnel',
  'lead.burst': 'funnel',
  'lead.assigned': 'user-plus',
  'lead.due': 'clock',
  'lead.unheld': 'clock',
  'matter.added': 'briefcase',
  'matter.archived': 'archive',
  'matter.deleted': 'trash-2',
  'limitation.near': 'scale',
  'limitation.unheld': 'scale',
  'task.assigned': 'square-check',
  'task.unheld': 'square-check',
  'event.invited': 'calendar',
  'event.cancelled': 'calendar-x',
  'event.unheld': 'calendar',
  'account.warned': 'shield-alert',
  'webhook.paused': 'webhook',
  'mail.refused': 'mail',
};

const showInbox = async ({ actor, query }: Visit): Promise<Shown> => {
  const onlyUnread = query.get('show') === 'unread';
  const part = pageIn(query);
  const [{ rows, total, isMore }, unread] = await Promise.all([
    listInbox(keepingPlans(actor), onlyUnread, part),
    unreadOf(actor),
  ]);
  const dates = await datesOf(actor, rows);
  return {
    title: 'Inbox',
    follows: ['notification', 'receipt'],
    work: 'list',
    main: (
      <div class="inbox">
        <Title title="Inbox">
          {unread > 0 && (
            <Act action="/inbox/read" fields={{ upTo: rows[0]?.createdAt ?? '' }}>
              Mark all as read
            </Act>
          )}
          <a
            class="button quiet icon-only"
            href="/settings/me#notifications"
            aria-label="Choose your notifications"
          >
            <Icon name="settings" />
          </a>
        </Title>
        <Tabs
          label="Which notifications"
          tabs={[
            { href: '/inbox', name: 'All', isHere: !onlyUnread },
            {
              href: '/inbox?show=unread',
              name: 'Unread',
              count: unreadWords(unread),
              isHere: onlyUnread,
            },
          ]}
        />
        <section class="panel" aria-label="Notifications" id="list" tabIndex={-1}>
          {rows.length === 0 ? (
            <Empty text={onlyUnread ? 'No unread notifications.' : 'No notifications.'} />
          ) : (
            <ul class="rows">
              {rows.map((notice) => (
                <Line notice={notice} dates={dates} />
              ))}
            </ul>
          )}
        </section>
        {total > rows.length && (
          <Foot part={part} total={total} isMore={isMore} shown={rows.length} />
        )}
      </div>
    ),
  };
};

/**
 * Of these notices, the dates that the reader is asked to say that they have, what became of those that are past, and what
 * waits for a second person.
 */
export const datesOf = async (actor: Visit['actor'], rows: readonly Notice[]) => {
  const kept = keepingPlans(actor);
  const ids = (kinds: readonly NotificationKind[]) =>
    rows.filter(({ kind }) => kinds.includes(kind)).map(({ id }) => id);
  const [asked, ended, waiting] = await Promise.all([
    askedAmong(kept, ids(asking)),
    endedAmong(kept, ids([...asking, 'lead.unheld'])),
    waitingOfNotices(kept, ids(asking)),
  ]);
  return { asked, ended, waiting };
};

const asking: readonly NotificationKind[] = [
  'limitation.near',
  'limitation.unheld',
  'task.assigned',
  'task.unheld',
  'event.invited',
  'event.unheld',
];

/** Those of them whose text does not begin with the day. */
const withoutDay: readonly NotificationKind[] = ['task.assigned', 'event.invited'];

/** What the lines of notices know of their dates. */
export type DatesOfNotices = Awaited<ReturnType<typeof datesOf>>;

/**
 * What a notice is called, and what stands below that. A burst is called by how many leads came and through
 * which key: "New leads from the API", its title in the contract, is for programs.
 */
const wordsOf = ({ kind, title, text }: Notice) =>
  kind === 'lead.burst' ? ([text, title] as const) : ([title, text] as const);

type LineProps = { notice: Notice; dates: DatesOfNotices };

/** One notice: what happened, on which day if it asks about one, a link to it, and whether it was read, or is past. */
export const Line = ({ notice, dates }: LineProps) => {
  const { id, kind, createdAt, readAt } = notice;
  const [title, text] = wordsOf(notice);
  const ended = dates.ended.get(id);
  const asked = ended ? undefined : dates.asked.get(id);
  const date = notice.recordId === null ? undefined : asked?.[0];
  const frame = useFrame();
  const what = date && withoutDay.includes(kind) ? `${whenAsked(date, frame)}: ${text}` : text;
  const isUnread = readAt === null && !ended;
  return (
    <li class={ended ? 'read past' : isUnread ? 'unread' : 'read'}>
      <Icon name={icons[kind] ?? 'bell'} />
      <div class="grow">
        <a
          class="name"
          href={targetOf(notice)}
          {...(isUnread && { 'data-script': 'reads', 'data-reads': id })}
        >
          <Unbroken>{title}</Unbroken>
        </a>
        {isUnread && <span class="hide">, unread</span>}
        <div class="sub">
          {dates.waiting.has(notice.recordId ?? '') && <NotConfirmed />} <Unbroken>{what}</Unbroken>
          {ended && <Ended of={ended} />}
        </div>
        {date && (
          <div class="have-it">
            <HaveIt of={date} name={what} />
          </div>
        )}
        {asked && !date && <HaveThem dates={asked} waiting={dates.waiting} />}
      </div>
      <span class="when">
        <Moment at={createdAt} />
      </span>
      {!ended && (
        <Act
          action={`/inbox/${id}/${isUnread ? 'read' : 'unread'}`}
          fields={{ name: [title, text].filter(Boolean).join(', ').slice(0, maxSaid) }}
          class="button quiet small icon-only"
          label={`Mark as ${isUnread ? 'read' : 'unread'}: ${title}`}
        >
          <Icon name={isUnread ? 'check' : 'mail'} />
        </Act>
      )}
    </li>
  );
};

/** As much of a notice as is said of it. */
const maxSaid = 100;

const mark =
  (isRead: boolean) =>
  async ({ actor, parameters, request }: Visit<'/inbox/:notice/read'>, fields: Fields) => {
    await markNotice(actor, parameters.notice, isRead);
    const [now, before] = isRead ? ['read', 'unread'] : ['unread', 'read'];
    // As the page shows it: what was hidden from the reader since is not named.
    const name = fields.text('name');
    const undo: Undo = {
      action: `/inbox/${parameters.notice}/${before}`,
      fields: name ? [['name', name]] : [],
    };
    const words = name ? `Marked as ${now}: ${name}.` : `Marked as ${now}.`;
    return saying(cameFrom(request, '/inbox'), words, undo);
  };

const markAll = async (
  { actor, request }: Visit,
  fields: { text(name: string): string | undefined },
) => {
  const upTo = fields.text('upTo') ?? '';
  if (/^\d{4}-\d\d-\d\dT[\d:.]+Z$/.test(upTo)) await markAllRead(actor, upTo);
  return cameFrom(request, '/inbox');
};

const inboxPage = page('/inbox', 'member', showInbox);

export const inboxPages: Page[] = [
  inboxPage,
  form('/inbox/read', 'member', markAll, inboxPage, {
    said: 'All notifications are marked as read.',
  }),
  form('/inbox/:notice/read', 'member', mark(true), inboxPage),
  form('/inbox/:notice/unread', 'member', mark(false), inboxPage),
];
