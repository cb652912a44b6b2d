/** @jsxImportSource preact */
import type { StandingDate } from '../../date-rules/standing.ts';
import { pathOfMade } from '../date-rules.ts';
import { DatedLine } from '../dated-line.tsx';
import { Icon } from '../icon.tsx';
import { DatesPanel, DayBelow } from './panels.tsx';

type Props = { dates: readonly StandingDate[]; today: string };

/** Dates by rule that wait for the member as the second person. */
export const ToConfirm = ({ dates, today }: Props) => (
  <DatesPanel id="to-confirm" title="Dates to confirm">
    <ul>
      {dates.map((date) => (
        <DatedLine
          sign={<Icon name={date.taskId === null ? 'calendar' : 'square-check'} />}
          path={pathOfMade(date)}
          name={date.title}
          below={[
            date.matter,
            ...(date.countedBy === null ? [] : [`Counted by ${date.countedBy}`]),
          ]}
        >
          <div class="end tone-warn">
            Not confirmed
            <DayBelow day={date.day} today={today} />
          </div>
        </DatedLine>
      ))}
    </ul>
  </DatesPanel>
);
