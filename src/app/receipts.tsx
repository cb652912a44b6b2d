/** @jsxImportSource preact */
import { dayIn } from '../base/calendar-date.ts';
import type { Ended as EndedNotice } from '../notifications/ended.ts';
import type { AskedDate } from '../receipts/asked.ts';
import { presentLines, type ReceiptLine } from '../receipts/receipt.ts';
import type { ReceiptOf, Withdrawn } from '../receipts/table.ts';
import { NotConfirmed } from './confirmations.tsx';
import { Act } from './form.tsx';
import { useFrame } from './frame.tsx';
import { Icon } from './icon.tsx';
import { mailStates } from './mail-state.tsx';
import { clockTime, dayAndTime, dayInFull, dayWords, type WritingIn } from './moments.tsx';
import { counted } from './numbers.ts';
import { namesInWords } from './said.ts';
import type { Visit } from './visit.ts';

const pagesOf: Record<ReceiptOf, (id: string) => string> = {
  limitation: (id) => `/matters/${id}`,
  task: (id) => `/tasks/${id}`,
  event: (id) => `/calendar/${id}`,
};

const pathOf = ({ about, recordId }: Pick<AskedDate, 'about' | 'recordId'>) =>
  `${pagesOf[about](recordId)}${about === 'limitation' ? '/limitation' : ''}/acknowledged`;

type Asked = Pick<AskedDate, 'about' | 'recordId' | 'day' | 'isFollowed'>;

/** When a date is that somebody is asked about: `Fri 4 Dec 2026`, and `Fri 4 Dec 2026, 14:30` of an event with hours. */
export const whenAsked = (
  { day, startsAt }: Pick<AskedDate, 'day' | 'startsAt'>,
  as: WritingIn,
): string => (startsAt ? dayAndTime(startsAt, as) : dayInFull(day, as));

/**
 * The button of a member who says that they have a date, and the one for all events that follow. In a list, `name` says which
 * one.
 */
export const HaveIt = ({ of, name }: { of: Asked; name?: string }) => {
  const press = (words: string, fields: Record<string, string> = {}) => (
    <Act
      action={pathOf(of)}
      fields={{ day: of.day, ...fields }}
      class={name ? 'button small' : of.about === 'limitation' ? 'button primary' : 'button'}
      {...(name && { label: `${words}: ${name}` })}
    >
      {words}
    </Act>
  );
  return (
    <>
      {press('I have it')}
      {of.isFollowed && press('I have this and all that follow', { which: 'following' })}
    </>
  );
};

/** So many dates of one notice are shown with it; the next ones follow when some of these are acknowledged. */
const maxShown = 20;

type Theirs = { dates: readonly AskedDate[]; waiting: ReadonlySet<string> };

/** The dates of one notice, each with its own button, and whether it is one of those that wait for a second person. */
export const HaveThem = ({ dates, waiting }: Theirs) => {
  const frame = useFrame();
  return (
    <ul class="have-them">
      {dates.slice(0, maxShown).map((date) => (
        <li>
          <span>
            {whenAsked(date, frame)}: <a href={pagesOf[date.about](date.recordId)}>{date.name}</a>{' '}
            {waiting.has(date.recordId) && <NotConfirmed />}
          </span>
          <HaveIt of={date} name={date.name} />
        </li>
      ))}
      {dates.length > maxShown && <li class="muted">and {dates.length - maxShown} more</li>}
    </ul>
  );
};

/** Whether the reader has not said yet that they have the date. */
export const isAsked = (lines: readonly ReceiptLine[], { memberId }: Visit['actor']) =>
  presentLines(lines).some((line) => line.memberId === memberId && !line.acknowledgedAt);

type Props = {
  lines: readonly ReceiptLine[];
  about: ReceiptOf;
  /** Whether more people are told while nobody has it. */
  isEscalated: boolean;
};

/** Who was told of the date as it stands, who has it, and what came of earlier notices. */
export const Receipts = ({ lines, about, isEscalated }: Props) => {
  const present = presentLines(lines);
  const [first] = present;
  const earlier = noticesIn(lines.filter((line) => !present.includes(line)));
  if (lines.length === 0) return null;
  const holders = holdersAmong(present);
  return (
    <section class="panel" id="told" aria-labelledby="told-title">
      <header>
        <h2 id="told-title">Who was told</h2>
        {first && <State about={about} all={present.length} holders={holders.length} />}
      </header>
      <p class="lead">
        {first ? (
          <WhatStands about={about} line={first} holders={holders} isEscalated={isEscalated} />
        ) : (
          'Nobody is asked now.'
        )}
      </p>
      {first && <Told lines={present} isHeld={about === 'limitation' && holders.length > 0} />}
      {earlier.length > 0 && <Earlier notices={earlier} />}
    </section>
  );
};

type StateProps = { about: ReceiptOf; all: number; holders: number };

/** Of a limitation date, one person is enough; of an event, each must know. */
const State = ({ about, all, holders }: StateProps) => {
  if (holders === 0) return <span class="tag danger">Not acknowledged</span>;
  if (about === 'limitation' || holders === all) return <span class="tag ok">Acknowledged</span>;
  return (
    <span class="tag warn">
      Acknowledged by {holders} of {all}
    </span>
  );
};

/** The names of those who have the date. */
const holdersAmong = (lines: readonly ReceiptLine[]) =>
  lines.filter(({ acknowledgedAt }) => acknowledgedAt).map(({ memberName }) => memberName);

type StandsProps = Pick<Props, 'about' | 'isEscalated'> & {
  line: ReceiptLine;
  holders: readonly string[];
};

const WhatStands = ({ about, line, holders, isEscalated }: StandsProps) => {
  if (about !== 'limitation') return <WhoHas holders={holders} isEscalated={isEscalated} />;
  const went = `The notice ${beforeWords(line.step)} went out ${useWhen()(line.askedAt)}.`;
  if (holders.length === 0)
    return (
      <>
        {went} <NobodyYet others="on the team" isEscalated={isEscalated} />
      </>
    );
  return (
    <>
      {went} {namesInWords(holders)} {holders.length === 1 ? 'has' : 'have'} the date. The next
      notice asks again.
    </>
  );
};

const NobodyYet = ({ others, isEscalated }: { others: string; isEscalated: boolean }) => (
  <>
    Nobody has pressed “I have it” yet.
    {isEscalated &&
      ` If nobody does, the deputy and the others ${others} are told, and then the owners on each working day.`}
  </>
);

const WhoHas = ({ holders, isEscalated }: Pick<StandsProps, 'holders' | 'isEscalated'>) =>
  holders.length === 0 ? (
    <NobodyYet others="who work on it" isEscalated={isEscalated} />
  ) : (
    <>
      {namesInWords(holders)} {holders.length === 1 ? 'has' : 'have'} it. If the day changes, they
      are asked again.
    </>
  );

const beforeWords = (step: number) => `${counted(step, 'day')} before`;

/** A moment with its day and its time: `Mon 16 Nov, 07:00`, `today, 08:55`. */
const useWhen = () => {
  const { today, ...as } = useFrame();
  return (at: Date): string => {
    const day = dayIn(at, as.timeZone);
    return `${day === today ? 'today' : dayWords(day, today, as)}, ${clockTime(at, as)}`;
  };
};

const Told = ({ lines, isHeld }: { lines: readonly ReceiptLine[]; isHeld: boolean }) => (
  <table class="table folds receipts">
    <caption class="hide">Who was told of the date, and who has it</caption>
    <thead>
      <tr>
        <th scope="col">Person</th>
        <th scope="col">Inbox</th>
        <th scope="col">Mail</th>
        <th scope="col">Opened</th>
        <th scope="col">Acknowledged</th>
      </tr>
    </thead>
    <tbody>
      {lines.map((line) => (
        <Line line={line} isHeld={isHeld} />
      ))}
    </tbody>
  </table>
);

const parts: Record<ReceiptLine['askedAs'], string> = {
  responsible: 'Responsible attorney',
  deputy: 'Deputy',
  colleague: 'On the team',
  owner: 'Owner',
  assignee: 'Assigned',
  guest: 'Invited',
};

const Line = ({ line, isHeld }: { line: ReceiptLine; isHeld: boolean }) => {
  const when = useWhen();
  const { visit } = useFrame();
  const isReader = line.memberId === (visit as Visit).session.member.id;
  // A page that renews itself has opened nothing.
  const isOpening = isReader && !line.acknowledgedAt && !visit.request.headers.has('x-member');
  return (
    <tr>
      <th scope="row" class="line-1 whole">
        {line.memberName}
        {isReader && ', you'}
        <small>
          {parts[line.askedAs]}
          {line.isLate && ', told because nobody had it'}
        </small>
      </th>
      <td class="line-2 whole">
        <span class="more">Inbox </span>
        {line.toldAt ? when(line.toldAt) : 'Switched off'}
      </td>
      <td class="line-2 whole">
        <span class="more">Mail </span>
        <MailWords mail={line.mail} />
      </td>
      <td class="line-2 whole">
        <span class="more">Opened </span>
        {line.openedAt ? when(line.openedAt) : isOpening ? 'Just now' : 'Not opened'}
      </td>
      <td class="line-2 whole">
        <span class="more">Has it </span>
        {line.acknowledgedAt ? (
          <span class="has ok">
            <Icon name="check" />
            since {when(line.acknowledgedAt)}
          </span>
        ) : isHeld ? (
          <span class="muted">No longer asked</span>
        ) : (
          <span class="has warn">
            <Icon name="clock" />
            Not yet
          </span>
        )}
      </td>
    </tr>
  );
};

/** How the notice's mail stands, with the mail server's code if it refused it. */
const MailWords = ({ mail }: { mail: ReceiptLine['mail'] }) => {
  const when = useWhen();
  if (!mail) return <>No mail</>;
  if (mail.state === 'accepted') {
    return (
      <>
        {mail.isMorning && 'In the morning: '}
        Accepted ({mail.code}), {when(mail.at)}
      </>
    );
  }
  if (mail.state === 'queued') return <>{mailStates.queued}</>;
  return (
    <span class="tone-danger">
      {mailStates[mail.state]}
      {mail.code && `, ${mail.code}`}
    </span>
  );
};

/** The lines of one notice that is over. */
type Notice = { day: string; step: number; lines: ReceiptLine[] };

const noticesIn = (lines: readonly ReceiptLine[]): Notice[] => {
  const byNotice = Map.groupBy(lines, ({ day, step, withdrawnAt }) =>
    [day, step, withdrawnAt?.getTime()].join(),
  );
  return [...byNotice.values()].flatMap((of) =>
    of[0] ? [{ day: of[0].day, step: of[0].step, lines: of }] : [],
  );
};

const Earlier = ({ notices }: { notices: readonly Notice[] }) => {
  const frame = useFrame();
  return (
    <details class="fold" id="earlier-notices">
      <summary>
        <Icon name="chevron-right" />
        {counted(notices.length, 'earlier notice')}
      </summary>
      <ul class="rows">
        {notices.map(({ day, step, lines }) => (
          <li>
            <span class="grow">
              {step > 0 && `${beforeWords(step)} `}
              {dayInFull(day, frame)}
            </span>
            <EndOf lines={lines} />
          </li>
        ))}
      </ul>
    </details>
  );
};

const reasons: Record<Withdrawn, string> = {
  moved: 'the date was changed',
  met: 'the date was met',
  archived: 'the matter was archived',
  deleted: 'the matter was deleted',
  done: 'the task was done',
  cancelled: 'it was cancelled',
  given_away: 'somebody else is responsible now',
  uninvited: 'they are no longer invited',
};

/** Why a notice is past: `No longer: moved to Mon 3 May 2027`, with the hour of an event that has one. */
export const Ended = ({ of }: { of: EndedNotice }) => (
  <div class="ended">No longer: {endWords(of, useFrame())}</div>
);

const endWords = ({ because, about, day, startsAt }: EndedNotice, as: WritingIn): string => {
  if (because === 'answered') return 'somebody has answered the next step';
  if (because === 'over') return 'the event is over';
  if (because === 'none_left') return 'you have all the dates, or they are done, changed or over';
  if (because === 'uninvited') return 'you are not invited any more';
  if (because !== 'moved') return reasons[because];
  if (day) return `moved to ${whenAsked({ day, startsAt }, as)}`;
  return about === 'limitation' ? 'the date was removed' : 'the day was removed';
};

/** Who had the date, or why it was no longer asked about. */
const EndOf = ({ lines }: { lines: readonly ReceiptLine[] }) => {
  const when = useWhen();
  const has = lines.filter(({ acknowledgedAt }) => acknowledgedAt);
  const [one] = lines;
  return (
    <span>
      {has.map(({ memberName, acknowledgedAt }) => (
        <span class="has ok">
          <Icon name="check" />
          {memberName}, {acknowledgedAt && when(acknowledgedAt)}
        </span>
      ))}
      {has.length === 0 && <span class="muted">Nobody had it</span>}
      {one?.withdrawnAt && one.withdrawnBecause && (
        <span class="muted">
          {' '}
          Withdrawn {when(one.withdrawnAt)}: {reasons[one.withdrawnBecause]}
        </span>
      )}
    </span>
  );
};
