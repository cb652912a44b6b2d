/** @jsxImportSource preact */
import type { CustomField } from '../../custom-fields/custom-field.ts';
import type { View } from '../../views/view.ts';
import { Dialog } from '../dialog.tsx';
import { Act, Check, Form, type Option, Text } from '../form.tsx';
import { useFrame } from '../frame.tsx';
import { Icon } from '../icon.tsx';
import { addressWith, Filter, Filters } from '../list.tsx';
import { spanWords } from '../moments.tsx';
import { columnsIn, leadColumns } from './columns.tsx';
import { valueNames } from './words.tsx';

/** What the list's filters and menus offer to choose from. */
export type Offered = {
  stages: Option[];
  areas: Option[];
  reasons: Option[];
  members: Option[];
  assignees: Option[];
  /** The field that says where leads came from, where the firm chose one with labels. */
  source: CustomField | undefined;
  /** The fields that can be filtered by: SELECT and DATE. */
  fields: CustomField[];
};

const values = Object.entries(valueNames).map(([value, name]) => ({ value, name }));
const none: Option = { value: 'none', name: 'None' };
const inBar = ['q', 'stage', 'area', 'assignee', 'value', 'source'];

type Props = {
  offered: Offered;
  views: View[];
  mayExport: boolean;
  memberId: string;
  isOwner: boolean;
};

/** Filters, views, columns and export, above the list. */
export const LeadFilters = (props: Props) => {
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

const labelsOf = ({ options }: CustomField) => options.map((value) => ({ value, name: value }));

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

/** A link that opens a dialog of the page, also without a script. */
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

const wordsOf: Record<string, string> = {
  from: 'Created from',
  to: 'Created to',
  decidedFrom: 'Decided from',
  decidedTo: 'Decided to',
  waiting: 'Waiting at least, days',
  reason: 'Not hired',
  reached: 'Reached',
  touched: 'First touch',
};

/** The filters that have no place in the bar, each with a way to take it off. */
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

const Hidden = ({ except }: { except: (name: string) => boolean }) => {
  const { visit } = useFrame();
  return (
    <>
      {[...visit.query].map(
        ([name, value]) => !except(name) && <input type="hidden" name={name} value={value} />,
      )}
    </>
  );
};

const isLeftOut = (name: string) => name === 'do' || name === 'page';

/** Days, reasons and the firm's own fields. */
const MoreFilters = ({ offered }: { offered: Offered }) => {
  const isHere = (name: string) => isLeftOut(name) || name in wordsOf || name.startsWith('field.');
  return (
    <Dialog id="filters" title="More filters" look="slim">
      <form class="form" method="get" action="/leads">
        <Hidden except={isHere} />
        <Pair of="Created" names={['from', 'to']} />
        <Pair of="Decided" names={['decidedFrom', 'decidedTo']} />
        <Entry name="waiting" label="Waiting at least, days" type="number" />
        <Pick name="reason" label="Not hired because" options={offered.reasons} />
        <Pick name="reached" label="Reached the stage" options={offered.stages} />
        {offered.fields.map((field) =>
          field.type === 'DATE' ? (
            <Pair of={field.name} names={[`field.${field.id}.from`, `field.${field.id}.to`]} />
          ) : (
            <Pick name={`field.${field.id}`} label={field.name} options={labelsOf(field)} />
          ),
        )}
        <div class="row end">
          <button class="button primary">Show</button>
        </div>
      </form>
    </Dialog>
  );
};

const Pair = ({ of, names: [from, to] }: { of: string; names: [string, string] }) => (
  <div class="pair">
    <Entry name={from} label={`${of} from`} type="date" />
    <Entry name={to} label={`${of} to`} type="date" />
  </div>
);

const Entry = ({ name, label, type }: { name: string; label: string; type: 'date' | 'number' }) => {
  const { visit } = useFrame();
  return (
    <div class="field">
      <label for={`by-${name}`}>{label}</label>
      <input
        class="input"
        id={`by-${name}`}
        name={name}
        type={type}
        min={type === 'number' ? 1 : undefined}
        value={visit.query.get(name) ?? ''}
      />
    </div>
  );
};

const Pick = ({ name, label, options }: { name: string; label: string; options: Option[] }) => {
  const { visit } = useFrame();
  return (
    <div class="field">
      <label for={`by-${name}`}>{label}</label>
      <span class="select">
        <select class="input" id={`by-${name}`} name={name}>
          <option value="">Any</option>
          {options.map((one) => (
            <option value={one.value} selected={one.value === visit.query.get(name)}>
              {one.name}
            </option>
          ))}
        </select>
        <Icon name="chevron-down" />
      </span>
    </div>
  );
};

/** Which columns are shown. */
const Columns = () => {
  const { visit } = useFrame();
  const shown = columnsIn(visit.query);
  return (
    <Dialog id="columns" title="Columns" look="slim">
      <form class="form" method="get" action="/leads">
        <Hidden except={(name) => isLeftOut(name) || name === 'columns'} />
        <fieldset class="checks">
          <legend class="hide">Columns beside the name</legend>
          {leadColumns.slice(1).map((column) => (
            <Check
              name="columns"
              value={column.key}
              label={column.name}
              checked={shown.includes(column)}
            />
          ))}
        </fieldset>
        <div class="row end">
          <button class="button primary">Show</button>
        </div>
      </form>
    </Dialog>
  );
};

/** The views that are kept, and how the present one is kept. */
const Views = ({ views, memberId, isOwner }: Props) => {
  const { visit } = useFrame();
  return (
    <Dialog id="views" title="Views" look="slim">
      {views.length > 0 && (
        <ul class="rows">
          {views.map((view) => (
            <li>
              <div class="grow">
                <a class="name" href={`/leads?${view.query}`}>
                  {view.name}
                </a>
                <div class="sub">{view.isShared ? "The firm's" : 'Mine'}</div>
              </div>
              {(view.memberId === memberId || isOwner) && (
                <Act
                  action={`/leads/views/${view.id}/remove?${visit.query}`}
                  look="button quiet small icon-only"
                  label={`Remove the view ${view.name}`}
                >
                  <Icon name="trash-2" />
                </Act>
              )}
            </li>
          ))}
        </ul>
      )}
      <Form action={`/leads/views?${visit.query}`} save="Keep this view">
        <Text name="name" label="Keep what is shown now as" required />
        <Check name="isShared" label="For the whole firm" />
      </Form>
    </Dialog>
  );
};
