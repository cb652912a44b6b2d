/** @jsxImportSource preact */
import type { Option } from '../form.tsx';
import { useFrame } from '../frame.tsx';
import { Icon } from '../icon.tsx';
import { addressWith, Filter, Filters } from '../list.tsx';
import { spanWords } from '../moments.tsx';
import { Columns, MoreFilters, Views } from './list-dialogs.tsx';
import { type AboveList, labelsOf, type Offered, wordsOf } from './offered.ts';
import { valueNames } from './words.tsx';

const values = Object.entries(valueNames).map(([value, name]) => ({ value, name }));
const none: Option = { value: 'none', name: 'None' };
const inBar = ['q', 'stage', 'area', 'assignee', 'value', 'source'];

/** Filters, views, columns and export, above the list. */
export const LeadFilters = (props: AboveList) => {
  const { offered, mayExport } = props;
  const { visit } = useFrame();
  const others = namesIn(visit.query).filter((name) => !inBar.includes(name) && name !== 'page');
  return (
    <>
      <Filters keep={others.filter((name) => name !== 'columns' && name !== 'do')}>
        <label class="filter-by">
          <span class="hide">Words</span>
          <input
            class="input"
            type="search"
            name="q"
            value={visit.query.get('q') ?? ''}
            placeholder="Words"
          />
        </label>
        <KeptColumns />
        <Filter name="stage" label="Stage" any="Stage: any" options={offered.stages} />
        <Filter
          name="area"
          label="Practice area"
          any="Area: any"
          options={[...offered.areas, none]}
        />
        <Filter
          name="assignee"
          label="Assigned"
          any="Assigned: anyone"
          options={offered.assignees}
        />
        <Filter name="value" label="Value" any="Value: any" options={[...values, none]} />
        {offered.source && (
          <Filter
            name="source"
            label="Source"
            any="Source: any"
            options={[...labelsOf(offered.source), none]}
          />
        )}
      </Filters>
      <div class="toolbar">
        <Chips offered={offered} />
        <Ask dialog="filters" icon="list-filter">
          More filters
        </Ask>
        <span class="end row">
          <Ask dialog="views" icon="eye">
            Views
          </Ask>
          <Ask dialog="columns" icon="columns-3">
            Columns
          </Ask>
          {mayExport && (
            <form class="act" method="post" action={`/leads/export?${visit.query}`} data-whole>
              <button class="button quiet">
                <Icon name="download" />
                Export
              </button>
            </form>
          )}
        </span>
      </div>
      <MoreFilters offered={offered} />
      <Columns />
      <Views {...props} />
    </>
  );
};

const namesIn = (query: URLSearchParams) => [...new Set(query.keys())];

const KeptColumns = () => {
  const { visit } = useFrame();
  return (
    <>
      {visit.query.getAll('columns').map((value) => (
        <input type="hidden" name="columns" value={value} />
      ))}
    </>
  );
};

/** A link that opens a dialog of the page. It works without a script. */
const Ask = ({
  dialog,
  icon,
  children,
}: {
  dialog: string;
  icon: 'list-filter' | 'eye' | 'columns-3';
  children: string;
}) => {
  const { visit } = useFrame();
  return (
    <a
      class="button quiet"
      href={addressWith('/leads', visit.query, { do: dialog })}
      data-opens={dialog}
      aria-haspopup="dialog"
    >
      <Icon name={icon} />
      {children}
    </a>
  );
};

/** Active filters that have no control in the bar, each with a button to remove it. */
const Chips = ({ offered }: { offered: Offered }) => {
  const { visit } = useFrame();
  const known = [...offered.stages, ...offered.reasons, none];
  const shown = [...visit.query].flatMap(([name, value]) => {
    const field = offered.fields.find(({ id }) => name.startsWith(`field.${id}`));
    const end = /\.(from|to)$/.exec(name)?.[1];
    const label = field ? `${field.name}${end ? ` ${end}` : ''}` : wordsOf[name];
    if (!label || !value) return [];
    const said = name === 'touched' ? touchedWords(value) : undefined;
    const words = said ?? known.find((one) => one.value === value)?.name ?? value;
    return [{ name, words: `${label}: ${words}` }];
  });
  return (
    <>
      {shown.map(({ name, words }) => (
        <span class="filter">
          <span>{words}</span>
          <a
            href={addressWith('/leads', visit.query, { [name]: null, page: null })}
            aria-label={`Remove the filter ${words}`}
          >
            <Icon name="x" />
          </a>
        </span>
      ))}
    </>
  );
};

const touchedWords = (value: string) => {
  if (value === 'yes') return 'by somebody';
  return value === 'no' ? 'not yet' : `within ${spanWords(Number(value) * 3600)}`;
};
