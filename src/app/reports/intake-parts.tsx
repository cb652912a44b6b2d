/** @jsxImportSource preact */
import type { LeadFilter } from '../../leads/filter.ts';
import {
  hiredRate,
  type Intake,
  type IntakeCounts,
  type IntakePart,
} from '../../reports/intake.ts';
import { useFrame } from '../frame.tsx';
import { written } from '../numbers.ts';
import { Scrolls } from '../table.tsx';
import { Count, createdIn, shareWords } from './parts.tsx';
import type { Period } from './period.ts';

export type IntakeProps = { intake: Intake; period: Period };

/** The counts for each source, if the firm has chosen the field for it. */
export const BySource = ({ intake, period }: IntakeProps) => {
  const { admits } = useFrame();
  if (intake.bySource) {
    const { fieldName, parts } = intake.bySource;
    const title = /^source$/i.test(fieldName) ? 'By source' : `By source: ${fieldName}`;
    return (
      <Parts id="source" title={title} none="None" intake={intake} period={period} parts={parts} />
    );
  }
  return (
    <section aria-labelledby="source">
      <h2 id="source" class="part">
        By source
      </h2>
      <div class="banner">
        <p>
          The firm has not chosen the field that says where a lead came from.
          {admits('/settings/firm') && (
            <>
              {' '}
              <a href="/settings/firm#source">Choose it in the settings</a>.
            </>
          )}
        </p>
      </div>
    </section>
  );
};

export const ByArea = ({ intake, period }: IntakeProps) => (
  <Parts
    id="area"
    title="By practice area"
    none="No area"
    intake={intake}
    period={period}
    parts={intake.byArea}
  />
);

/** How many rows are shown: more values of a free text would not help. */
const maxParts = 100;

type PartsProps = IntakeProps & {
  id: 'source' | 'area';
  title: string;
  none: string;
  parts: IntakePart[];
};

/** The same counts for each source or practice area. */
const Parts = ({ id, title, none, parts, intake: { stages, all }, period }: PartsProps) => {
  const shown = parts.slice(0, maxParts);
  const further = parts.length - shown.length;
  const filterOf = (of: string) => ({
    ...created,
    ...(id === 'source' ? { source: of } : { area: of }),
  });
  // Every lead reached the first stage.
  const later = stages.map((stage, at) => ({ ...stage, at })).slice(1);
  const created = createdIn(period);
  return (
    <section aria-labelledby={`by-${id}`}>
      <h2 id={`by-${id}`} class="part">
        {title}
      </h2>
      <Scrolls label={title}>
        <table class="table">
          <thead>
            <tr>
              <th scope="col">{id === 'source' ? 'Source' : 'Practice area'}</th>
              <th scope="col" class="number">
                Leads
              </th>
              {later.map(({ name }) => (
                <th scope="col" class="number only-wide">
                  {name}
                </th>
              ))}
              <th scope="col" class="number">
                Hired
              </th>
              <th scope="col" class="number only-wide">
                Not hired
              </th>
              <th scope="col" class="number">
                Rate
              </th>
            </tr>
          </thead>
          <tbody>
            {shown.map((part) => (
              <tr>
                <th scope="row">{part.name ?? <span class="muted">{none}</span>}</th>
                <Cells counts={part} later={later} filter={filterOf(part.id ?? 'none')} />
              </tr>
            ))}
          </tbody>
          <tfoot>
            <tr>
              <th scope="row">All</th>
              <Cells counts={all} later={later} filter={created} />
            </tr>
          </tfoot>
        </table>
      </Scrolls>
      {further > 0 && <p class="muted">And {written(further)} more, less often.</p>}
    </section>
  );
};

type CellsProps = {
  counts: IntakeCounts;
  /** The stages after the first, each with its place. */
  later: { id: string; at: number }[];
  filter: Partial<LeadFilter>;
};

/** The counts of one row, each with a link to its leads. */
const Cells = ({ counts, later, filter }: CellsProps) => {
  const cell = (count: number, more: Partial<LeadFilter>, className = 'number') => (
    <td class={className}>
      <Count count={count} filter={{ ...filter, ...more }} />
    </td>
  );
  return (
    <>
      {cell(counts.leads, {})}
      {later.map(({ id, at }) =>
        cell(counts.reached[at] ?? 0, { reached: id }, 'number only-wide'),
      )}
      {cell(counts.hired, { status: 'HIRED' })}
      {cell(counts.notHired, { status: 'NOT_HIRED' }, 'number only-wide')}
      <td class="number">{shareWords(hiredRate(counts))}</td>
    </>
  );
};
