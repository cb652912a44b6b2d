/** @jsxImportSource preact */
import type { StandingDate } from '../../date-rules/standing.ts';
import { DatedLine } from '../dated-line.tsx';
import { useFrame } from '../frame.tsx';
import { Icon } from '../icon.tsx';
import { dayWords } from '../moments.tsx';

type Props = { dates: readonly StandingDate[]; today: string };

/** Dates by rule that wait for the member as the second person. */
export const ToConfirm = ({ dates, today }: Props) => {
  const frame = useFrame();
  return (
    <section class="panel dates" aria-labelledby="to-confirm-title">
      <header>
        <h2 id="to-confirm-title">Dates to confirm</h2>
      </header>
      <ul>
        {dates.map(({ taskId, eventId, title, day, countedBy, matter }) => (
          <DatedLine
            sign={<Icon name={taskId === null ? 'calendar' : 'square-check'} />}
            path={taskId === null ? `/calendar/${eventId}` : `/tasks/${taskId}`}
            name={title}
            below={[matter, ...(countedBy === null ? [] : [`Counted by ${countedBy}`])]}
          >
            <div class="end tone-warn">
              Not confirmed
              <div class="small muted">
                <time dateTime={day}>{dayWords(day, today, frame)}</time>
              </div>
            </div>
          </DatedLine>
        ))}
      </ul>
    </section>
  );
};
