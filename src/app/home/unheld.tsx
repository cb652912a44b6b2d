/** @jsxImportSource preact */
import { capitalised } from '../../base/wording.ts';
import type { DateWithoutHolder } from '../../limitation/present.ts';
import { icons, pathOf } from '../calendar/entries.tsx';
import { DatedLine } from '../dated-line.tsx';
import { useFrame } from '../frame.tsx';
import { Icon } from '../icon.tsx';
import { awayWords, dayWords } from '../moments.tsx';
import { DatesPanel, DayBelow } from './panels.tsx';

type Props = { dates: readonly DateWithoutHolder[]; today: string };

/** For owners: dates that nobody who is there has said that they have, or that were given to nobody who is there. */
export const Unheld = ({ dates, today }: Props) => {
  const frame = useFrame();
  const work = dates.filter(({ kind }) => kind !== 'limitation');
  const more = (work[0]?.count ?? 0) - work.length;
  return (
    <DatesPanel id="unheld" title="Dates that nobody present holds">
      <ul>
        {dates.map((date) => (
          <DatedLine
            sign={<Icon name={icons[date.kind]} />}
            path={pathOf(date)}
            name={date.title}
            below={[date.record, whoseWords(date, (day) => dayWords(day, today, frame))]}
          >
            <div class={`end ${isUrgent(date, today) ? 'tone-danger' : ''}`}>
              {capitalised(awayWords(date.day, today))}
              <DayBelow day={date.day} today={today} />
            </div>
          </DatedLine>
        ))}
      </ul>
      {more > 0 && (
        <div class="body muted">
          {more === 1 ? 'And one more task or event' : `And ${more} more tasks and events`}
        </div>
      )}
    </DatesPanel>
  );
};

/** Of work ahead, there is time to give it to somebody. */
const isUrgent = ({ kind, day }: DateWithoutHolder, today: string) =>
  kind === 'limitation' || day <= today;

const whoseWords = (
  { kind, holder, awayUntil }: DateWithoutHolder,
  wordsOf: (day: string) => string,
) => {
  if (holder && awayUntil) return `${holder} is away until ${wordsOf(awayUntil)}`;
  if (kind === 'limitation') return 'Not acknowledged';
  return kind === 'task' ? 'Not assigned' : 'Everybody invited has left';
};
