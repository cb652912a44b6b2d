/** @jsxImportSource preact */

import { capitalised } from '../base/wording.ts';
import { type Confirmation, isSecond } from '../date-rules/confirming.ts';
import { arithmetic, passedWords, pathOfMade, triggerWords } from './date-rules.ts';
import { Act } from './form.tsx';
import { useFrame } from './frame.tsx';
import { Icon } from './icon.tsx';
import { DayInFull, dayInFull, MomentSaid, type Writing } from './moments.tsx';
import { counted } from './numbers.ts';
import type { Visit } from './visit.ts';

/** The mark of a date in a list that waits for a second person. */
export const NotConfirmed = () => <span class="tag warn nowrap">Not confirmed</span>;

/** On the page of a matter: its dates that wait for a second person. Those that are asked about otherwise are left out. */
export const Confirmations = ({ dates }: { dates: readonly Confirmation[] }) => {
  const whose = useWhose();
  const waiting = dates.filter((date) => date.isWaiting && !hasMoved(date));
  if (waiting.length === 0) return null;
  return (
    <section class="banner warn confirming" aria-labelledby="confirmations">
      <Icon name="users" />
      <div>
        <h2 id="confirmations">{counted(waiting.length, 'date is', 'dates are')} not confirmed</h2>
        <ul class="plain">
          {waiting.map((date) => (
            <li>
              <p>
                <a href={pathOfMade(date)}>{date.title}</a>:{' '}
                <b>
                  <DayInFull day={date.day} />
                </b>
                . <Counting date={date} /> {whose(date)}
              </p>
              <Asked date={date} name={date.title} />
            </li>
          ))}
        </ul>
      </div>
    </section>
  );
};

/** On the page of a task or an event: whether a second person has confirmed its day, and how it was counted. */
export const ConfirmationOf = ({ date }: { date: Confirmation | undefined }) => {
  const whose = useWhose();
  if (!date) return null;
  if (date.isWaiting) {
    return (
      <section class="banner warn confirming" aria-labelledby="confirmation">
        <Icon name="users" />
        <div>
          <h2 id="confirmation">Not confirmed</h2>
          <p>{whose(date)}</p>
          <p>
            <Counting date={date} />
          </p>
          <Asked date={date} />
        </div>
      </section>
    );
  }
  return (
    <section class="banner ok confirming" aria-labelledby="confirmation">
      <Icon name="check" />
      <div>
        <h2 id="confirmation">Confirmed by {date.confirmedBy}</h2>
        <p>
          {date.countedBy && `Counted by ${date.countedBy}. `}Confirmed{' '}
          {date.confirmedAt && <MomentSaid at={date.confirmedAt} withTime />}.
        </p>
        <p>
          <Counting date={date} />
        </p>
      </div>
    </section>
  );
};

const hasMoved = ({ triggerNow, countedFrom }: Confirmation) => triggerNow !== countedFrom;

/** Whom a date waits for, in words for whoever looks at the page. */
const useWhose = () => {
  const { actor } = useFrame().visit as Visit;
  return (date: Confirmation): string => {
    if (date.countedBy === null) return 'A person has to confirm it.';
    return isSecond(date, actor)
      ? `Counted by ${date.countedBy}. A second person has to confirm it.`
      : 'You counted it, so somebody else has to confirm it.';
  };
};

/** The arithmetic of a date, as far as it still gives its day. */
const Counting = ({ date }: { date: Confirmation }) => <>{countingWords(date, useFrame())}</>;

const countingWords = (date: Confirmation, as: Writing): string => {
  const { reckoned, countedFrom, day } = date;
  if (reckoned?.day === day) {
    return `${arithmetic(date, reckoned, as)}. ${passedWords(reckoned)}`.trim();
  }
  const gives = reckoned ? dayInFull(reckoned.day, as) : 'no day';
  return `Counted from ${dayInFull(countedFrom, as)}. The rule or the holidays have changed since: the rule now gives ${gives}.`;
};

/** The button of whoever may confirm a date, or what has to be said first. */
const Asked = ({ date, name }: { date: Confirmation; name?: string }) => {
  const { may, actor } = useFrame().visit as Visit;
  if (!may('matters:write')) return null;
  const matter = `/matters/${date.matterId}`;
  if (hasMoved(date)) {
    return (
      <p>
        {capitalised(triggerWords(date))} has changed since. Say first on{' '}
        <a href={matter}>the matter’s page</a> whether this date moves.
      </p>
    );
  }
  if (!isSecond(date, actor)) return null;
  return (
    <div class="row">
      <Act
        action={`${matter}/rules/confirmed`}
        fields={{ date: date.id, day: date.day }}
        {...(name && { label: `Confirm: ${name}` })}
      >
        Confirm
      </Act>
    </div>
  );
};
