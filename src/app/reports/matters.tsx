/** @jsxImportSource preact */
import { type MattersReport, reportMatters, type StageLoad } from '../../reports/matters.ts';
import { mattersAddress } from '../matters/fields.tsx';
import { spanWords } from '../moments.tsx';
import type { Shown, Visit } from '../visit.ts';
import { Drawn, Figure, Figures, periodOf, reportFile, reportPage, shareOf } from './parts.tsx';
import type { Period } from './period.ts';

const path = '/reports/matters';

/** Report 3: where the matters are now, and what was opened and closed. */
export const showMatters = async (visit: Visit): Promise<Shown> => {
  const period = periodOf(visit);
  const report = await reportMatters(visit.actor, period);
  const max = Math.max(1, ...report.areas.flatMap(({ stages }) => stages.map((one) => one.count)));
  return reportPage(
    { path, period, note: 'and the boards as they are now' },
    <>
      <Summary report={report} period={period} />
      {report.areas.map((area) => (
        <Area area={area} max={max} />
      ))}
      {report.areas.length === 0 && <p class="banner">There is no practice area yet.</p>}
    </>,
  );
};

const Summary = ({ report, period }: { report: MattersReport; period: Period }) => (
  <Figures
    figures={[
      {
        name: 'Active now',
        figure: <Figure count={report.active} href={mattersAddress({ status: 'ACTIVE' })} />,
        note: 'in every period',
      },
      {
        name: 'Opened',
        figure: (
          <Figure
            count={report.opened}
            href={mattersAddress({ openedFrom: period.from, openedTo: period.to })}
          />
        ),
        note: 'in these days',
      },
      {
        name: 'Closed',
        figure: (
          <Figure
            count={report.closed}
            href={mattersAddress({ closedFrom: period.from, closedTo: period.to })}
          />
        ),
        note: 'in these days',
      },
    ]}
  />
);

type AreaProps = { area: MattersReport['areas'][number]; max: number };

const Area = ({ area, max }: AreaProps) => {
  const active = { status: 'ACTIVE' as const, area: area.id };
  return (
    <section aria-labelledby={`area-${area.id}`}>
      <h2 id={`area-${area.id}`} class="part">
        {area.name}: <Figure count={area.count} href={mattersAddress(active)} /> active
      </h2>
      <div class="chart">
        <table class="bars">
          <thead>
            <tr>
              <th scope="col">Stage</th>
              <td />
              <th scope="col">Matters</th>
              <th scope="col" class="soft">
                Median time
              </th>
            </tr>
          </thead>
          <tbody>
            {area.stages.map((stage) => (
              <tr>
                <th scope="row">
                  <span>{stage.name}</span>
                </th>
                <td>
                  <Drawn share={shareOf(stage.count, max) ?? 0} class="bar-of" />
                </td>
                <td class="number">
                  <Figure
                    count={stage.count}
                    href={mattersAddress({ ...active, stage: stage.id })}
                  />
                </td>
                <td class="number soft">{medianWords(stage)}</td>
              </tr>
            ))}
          </tbody>
        </table>
      </div>
    </section>
  );
};

const medianWords = ({ median }: StageLoad) => (median === null ? '–' : spanWords(median));

/** The report as a file: one line for each stage, then what was opened and closed. */
export const exportMatters = async (visit: Visit): Promise<Response> => {
  const { areas, opened, closed } = await reportMatters(visit.actor, periodOf(visit));
  const lines = [
    ...areas.flatMap((area) =>
      area.stages.map(({ name, count, median }) => [
        area.name,
        name,
        String(count),
        median === null ? '' : String(Math.round(median / 8_640) / 10),
      ]),
    ),
    ['Opened in these days', '', String(opened), ''],
    ['Closed in these days', '', String(closed), ''],
  ];
  const head = ['Practice area', 'Stage', 'Matters', 'Median days in stage'];
  return reportFile(visit, path, head, lines);
};
