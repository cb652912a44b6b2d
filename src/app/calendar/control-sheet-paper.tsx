/** @jsxImportSource preact */
import { dayIn } from '../../base/calendar-date.ts';
import { fingerprintOf } from '../../base/installation-key.ts';
import { written } from '../../base/numbers.ts';
import { setKey } from '../../doctor/signing.ts';
import { type ControlSheet, maxOnSheet, type SheetDate } from '../../reports/control-sheet.ts';
import type { SignedSheet } from '../../reports/signed-sheet.ts';
import { useFrame } from '../frame.tsx';
import { awayWords, clockTime, dayAndTime, dayInFull, dayWords } from '../moments.tsx';
import { counted } from '../numbers.ts';

/** The control sheet as it is printed and signed by hand. */
export const Paper = ({
  sheet,
  signed,
}: {
  sheet: ControlSheet;
  signed: SignedSheet | undefined;
}) => (
  <article class="paper">
    <Head sheet={sheet} />
    {sheet.dates.length === 0 ? (
      <p>There are no dates in this period, and nothing is overdue.</p>
    ) : (
      <>
        <Counts sheet={sheet} />
        <Lines sheet={sheet} />
      </>
    )}
    <Away sheet={sheet} />
    <LeftOut sheet={sheet} />
    <div class="sign">
      <div>Checked by</div>
      <div>Signature</div>
      <div>Date</div>
    </div>
    <footer>
      {signed ? <Proof signed={signed} /> : <p>Not signed: this server has no key. {setKey}</p>}
    </footer>
  </article>
);

const Head = ({ sheet }: { sheet: ControlSheet }) => {
  const frame = useFrame();
  return (
    <header>
      <div>
        <h1>Control sheet</h1>
        <p>
          All dates from {dayInFull(sheet.from, frame)} to {dayInFull(sheet.to, frame)}, and what is
          overdue
        </p>
      </div>
      <p class="number">
        <b>{sheet.firmName}</b>
        <br />
        Printed {dayAndTime(new Date(sheet.madeAt), frame)}
        <br />
        by {sheet.memberName}
      </p>
    </header>
  );
};

const isHeldNow = ({ holders }: SheetDate) => holders.some(({ isAway }) => !isAway);

const Counts = ({ sheet: { dates, from } }: { sheet: ControlSheet }) => {
  const asked = dates.filter(({ isAsked }) => isAsked);
  const open = asked.filter(({ holders }) => holders.length === 0).length;
  const absent = asked.filter((one) => one.holders.length > 0 && !isHeldNow(one)).length;
  const waiting = dates.filter(({ isWaiting }) => isWaiting).length;
  const late = dates.filter(({ day, kind }) => day < from && kind !== 'event').length;
  return (
    <p>
      <b>{counted(dates.length, 'date')}.</b>{' '}
      {asked.length > 0 && (
        <>
          {written(asked.length)} {asked.length === 1 ? 'is' : 'are'} asked about:{' '}
          {written(asked.length - open)} acknowledged, <b>{written(open)} not</b>.{' '}
        </>
      )}
      {absent > 0 && <b>Who has {written(absent)} of them is away. </b>}
      {waiting > 0 && (
        <b>
          {written(waiting)} {waiting === 1 ? 'is' : 'are'} not confirmed.{' '}
        </b>
      )}
      {late === 0
        ? 'Nothing is overdue.'
        : `${written(late)} ${late === 1 ? 'is' : 'are'} overdue.`}
    </p>
  );
};

const Lines = ({ sheet }: { sheet: ControlSheet }) => (
  <table>
    <caption class="hide">The dates, the earliest first</caption>
    <thead>
      <tr>
        <th scope="col" class="only-wide">
          <span class="hide">Seen</span>
        </th>
        <th scope="col">Date</th>
        <th scope="col">What</th>
        <th scope="col" class="only-wide">
          Number
        </th>
        <th scope="col">People</th>
        <th scope="col">Acknowledged by</th>
      </tr>
    </thead>
    <tbody>
      {sheet.dates.map((date) => (
        <Line date={date} today={sheet.from} />
      ))}
    </tbody>
  </table>
);

const Line = ({ date, today }: { date: SheetDate; today: string }) => {
  const frame = useFrame();
  const { day, startsAt, kind, title, subject, number, people, isWaiting } = date;
  return (
    <tr>
      <td class="only-wide">
        <span class="seen" />
      </td>
      <td class="nobreak">
        {dayWords(day, today, frame)}
        {startsAt && `, ${clockTime(new Date(startsAt), frame)}`}
        {day < today && kind !== 'event' && (
          <>
            <br />
            <b>{awayWords(day, today, kind === 'task' ? 'overdue' : 'past')}</b>
          </>
        )}
      </td>
      <th scope="row">
        {kind === 'limitation' ? <b>Limitation: {subject}</b> : `${title}, ${subject}`}
        {isWaiting && (
          <>
            <br />
            <b>Not confirmed</b>
          </>
        )}
      </th>
      <td class="nobreak only-wide">{number}</td>
      <td>{people.join(', ') || 'Nobody'}</td>
      <td>
        <Has date={date} today={today} />
      </td>
    </tr>
  );
};

const Has = ({ date: { isAsked, holders }, today }: { date: SheetDate; today: string }) => {
  const frame = useFrame();
  if (!isAsked) return <>Not asked</>;
  if (holders.length === 0) return <b>Nobody</b>;
  return (
    <>
      {holders.map(({ name, since, isAway }) => {
        const at = new Date(since);
        return (
          <div>
            {name}
            {isAway && <b> (away)</b>}, {dayWords(dayIn(at, frame.timeZone), today, frame)},{' '}
            {clockTime(at, frame)}
          </div>
        );
      })}
    </>
  );
};

const Away = ({ sheet: { away, from } }: { sheet: ControlSheet }) => {
  const frame = useFrame();
  if (away.length === 0) return null;
  return (
    <div>
      <h2>Away</h2>
      {away.map((one) => (
        <p>
          {one.name}, {dayWords(one.from, from, frame)} to {dayWords(one.until, from, frame)}.{' '}
          {one.deputy ? `${one.deputy} stands in.` : 'No deputy.'}
        </p>
      ))}
    </div>
  );
};

const LeftOut = ({ sheet: { to, isCut, memberName } }: { sheet: ControlSheet }) => (
  <div>
    <h2>Not on this sheet</h2>
    <p>
      {isCut && <b>More than {written(maxOnSheet)} dates: choose fewer days. </b>}
      Dates after {dayInFull(to, useFrame())}, and dates that {memberName} may not see.
    </p>
  </div>
);

const Proof = ({ signed: { publicKey, signature, head, madeAt } }: { signed: SignedSheet }) => (
  <>
    <p>
      Signed by this server. Anyone who has the signed file can prove that nobody changed it, also
      without a network: <code>matterhorn audit verify {fileName(madeAt)}</code>
    </p>
    <p>
      {head && `Audit entry ${written(Number(head.seals))}, `}key{' '}
      <code>{fingerprintOf(publicKey)}</code>, signature <code>{signature}</code>
    </p>
  </>
);

/** How the file of a sheet of that moment is called. */
export const fileName = (madeAt: string) =>
  `control-sheet-${madeAt.slice(0, 19).replaceAll(':', '')}.json`;
