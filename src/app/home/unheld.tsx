/** @jsxImportSource preact */
import { capitalised } from '../../base/wording.ts';
import type { DateWithoutHolder } from '../../limitation/present.ts';
import { DatedLine } from '../dated-line.tsx';
import { useFrame } from '../frame.tsx';
import { Icon } from '../icon.tsx';
import { awayWords, dayWords } from '../moments.tsx';
import { DatesPanel, DayBelow } from './panels.tsx';

type Props = { dates: readonly DateWithoutHolder[]; today: string };

/** For owners: limitation dates that nobody who is there has said that they have. */
export const Unheld = ({ dates, today }: Props) => {
  const frame = useFrame();
  return (
    <DatesPanel id="unheld" title="Dates that nobody present holds">
      <ul>
        {dates.map(({ matterId, number, title, day, holder, awayUntil }) => (
          <DatedLine
            sign={<Icon name="scale" />}
            path={`/matters/${matterId}`}
            name={title}
            below={[
              number,
              holder && awayUntil
                ? `${holder} is away until ${dayWords(awayUntil, today, frame)}`
                : 'Not acknowledged',
            ]}
          >
            <div class="end tone-danger">
              {capitalised(awayWords(day, today))}
              <DayBelow day={day} today={today} />
            </div>
          </DatedLine>
        ))}
      </ul>
    </DatesPanel>
  );
};
