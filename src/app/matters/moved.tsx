/** @jsxImportSource preact */

import { capitalised } from '../../base/wording.ts';
import type { MovedDate, MovedTrigger } from '../../date-rules/moved.ts';
import { arithmetic, passedWords, pathOfMade, triggerWords } from '../date-rules.ts';
import { Form } from '../form.tsx';
import { useFrame } from '../frame.tsx';
import { Icon } from '../icon.tsx';
import { dayInFull, type Writing } from '../moments.tsx';
import { counted } from '../numbers.ts';

type Props = { matterId: string; moved: readonly MovedTrigger[] };

/** What is asked because a day of the matter moved from which dates were counted. It stands until somebody answers. */
export const MovedTriggers = ({ matterId, moved }: Props) => (
  <>
    {moved.map((one) => (
      <Question matterId={matterId} moved={one} />
    ))}
  </>
);

const Question = ({ matterId, moved }: { matterId: string; moved: MovedTrigger }) => {
  const frame = useFrame();
  const { key, from, to, dates } = moved;
  const id = `moved-${key.replaceAll(':', '-')}-${from}`;
  const moving = dates.filter(({ reckoned }) => reckoned);
  const staying = dates.filter(({ reckoned }) => !reckoned);
  const [them, were] = dates.length === 1 ? ['it', 'was'] : ['them', 'were'];
  return (
    <section class="banner warn moved" aria-labelledby={id}>
      <Icon name="calendar" />
      <div>
        <h2 id={id}>{titleOf(moved, frame)}</h2>
        <p>
          {counted(dates.length, 'date')} {were} counted from that day.
          {to === null && ' Change or cancel those that are no longer right.'}
        </p>
        {moving.length > 0 && (
          <ul class="plain">
            {moving.map((date) => (
              <Moving date={date} />
            ))}
          </ul>
        )}
        {moving.length > 0 && staying.length > 0 && <p>The others stay where they are:</p>}
        {staying.length > 0 && (
          <ul class="plain">
            {staying.map((date) => (
              <li>
                <Name of={date} />: {whyItStays(date, to, frame)}.
              </li>
            ))}
          </ul>
        )}
        <Form action={`/matters/${matterId}/rules/moved`} class="row" within={id}>
          <input type="hidden" name="trigger" value={key} />
          <input type="hidden" name="from" value={from} />
          <input type="hidden" name="to" value={to ?? ''} />
          {dates.map((date) => (
            <input type="hidden" name="date" value={`${date.id}:${date.reckoned?.day ?? ''}`} />
          ))}
          {moving.length > 0 && (
            <button class="button primary" name="answer" value="move">
              Move {moving.length === 1 ? 'it' : 'them'}
            </button>
          )}
          <button class="button" name="answer" value="leave">
            Leave {them}
          </button>
        </Form>
      </div>
    </section>
  );
};

const titleOf = (moved: MovedTrigger, as: Writing): string => {
  const { from, to } = moved;
  const name = capitalised(triggerWords(moved));
  const gone = moved.trigger === 'event' ? 'is no longer there' : 'was removed';
  return to === null
    ? `${name}, ${dayInFull(from, as)}, ${gone}`
    : `${name} moved from ${dayInFull(from, as)} to ${dayInFull(to, as)}`;
};

const Name = ({ of }: { of: MovedDate }) => <a href={pathOfMade(of)}>{of.title}</a>;

/** A date that would move: its day and the one that it would get, with the arithmetic. */
const Moving = ({ date }: { date: MovedDate }) => {
  const frame = useFrame();
  const { reckoned, day } = date;
  if (!reckoned) return null;
  return (
    <li>
      <Name of={date} />:{' '}
      <b>
        {dayInFull(day, frame)} → {dayInFull(reckoned.day, frame)}
      </b>
      . {arithmetic(date, reckoned, frame)}. {passedWords(reckoned)}
    </li>
  );
};

const whyItStays = (
  { isUntouched, isRuleGone, present, day }: MovedDate,
  to: string | null,
  as: Writing,
): string => {
  if (!isUntouched) {
    if (present === null) return 'changed since';
    return present === day ? 'changed since' : `changed since, now ${dayInFull(present, as)}`;
  }
  const on = dayInFull(day, as);
  if (to === null) return on;
  return isRuleGone ? `${on}, its rule was deleted` : `${on}, the new day is out of reach`;
};
