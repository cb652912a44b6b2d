/** @jsxImportSource preact */
import type { MatterRecord } from '../../matters/record.ts';
import { Panel } from '../list.tsx';
import { DayWords } from '../moments.tsx';
import { Value, Values } from '../values.tsx';

const dayOf = (day: string | null) => day && <DayWords day={day} />;

/** The days of a matter. */
export const Dates = ({ matter }: { matter: MatterRecord }) => (
  <div role="group" aria-label="Dates">
    <Panel id="dates" title="Dates">
      <div class="body">
        <Values>
          <Value label="Limitation" none="None set" shown={dayOf(matter.solDate)} />
          <Value label="Opened on" shown={dayOf(matter.openDate)} />
          <Value label="Closed on" none="Not closed" shown={dayOf(matter.closeDate)} />
        </Values>
      </div>
    </Panel>
  </div>
);
