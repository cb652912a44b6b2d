/** @jsxImportSource preact */
import type { ComponentChild } from 'preact';
import { written } from '../../base/numbers.ts';
import { capitalised } from '../../base/wording.ts';
import { displayName, mergeName } from '../../contacts/name.ts';
import { cellText } from '../../imports/cells.ts';
import { firstJudged } from '../../imports/first-rows.ts';
import type { NewRecord, Verdict } from '../../imports/judge.ts';
import { type Plan, type RowValues, rowValues } from '../../imports/plan.ts';
import {
  adviceOn,
  existsAlready,
  namelessWords,
  type RecordOfRow,
  type RefusedRow,
} from '../../imports/rows.ts';
import type { Import } from '../../imports/stored.ts';
import type { ImportedKind } from '../../imports/table.ts';
import type { Reader } from '../../record/actor.ts';
import { kindOf } from '../custom-fields.tsx';
import { Icon } from '../icon.tsx';
import { leadFields } from '../leads/fields.tsx';
import { counted } from '../numbers.ts';
import { Panel } from '../page-parts.tsx';
import { day, dayOrTime } from '../records/kinds.tsx';
import { Scrolls } from '../table.tsx';

/** The first rows of the file in a table, as the records that they would become. */
export const firstRowsPanel = async (reader: Reader, found: Import) => {
  const { plan, rows } = await firstJudged(reader, found);
  const columns = columnsOf(plan);
  return (
    <Panel id="first-rows" title={rows.length === 1 ? 'First row' : `First ${rows.length} rows`}>
      <Scrolls label="First rows">
        <table class="table">
          <thead>
            <tr>
              <th scope="col" class="number">
                Row
              </th>
              <th scope="col">Becomes</th>
              {columns.map(({ name }) => (
                <th scope="col">{name}</th>
              ))}
            </tr>
          </thead>
          <tbody>
            {rows.map(({ row, cells, verdict }) => {
              const values = rowValues(plan, cells, cellText);
              const asked = verdict && 'asked' in verdict ? verdict.asked : undefined;
              return (
                <tr>
                  <td class="number">{row + 1}</td>
                  <td class="nowrap">{outcomeOf(verdict)}</td>
                  {columns.map(({ cell }) => (
                    <td class="cut">{cell(values, asked) || <span class="muted">–</span>}</td>
                  ))}
                </tr>
              );
            })}
          </tbody>
        </table>
      </Scrolls>
    </Panel>
  );
};

const outcomeOf = (verdict: Verdict | undefined) => {
  if (!verdict || verdict.is === 'refused') return <span class="tag danger">Skipped</span>;
  const isNew = verdict.is === 'new';
  return <span class={isNew ? 'tag ok' : 'tag'}>{isNew ? 'New' : existsAlready}</span>;
};

type Shown = { name: string; cell(values: RowValues, asked?: NewRecord): ComponentChild };

const partsOfName = ['fullName', 'firstName', 'middleName', 'lastName'];
const days = ['openDate', 'closeDate', 'solDate'];
/** Fields that people write: a semicolon in them parts nothing. */
const proseFields = ['title', 'description', 'note'];

/** The columns of the table: the name in one, then the other fields that the file fills. */
const columnsOf = (plan: Plan): Shown[] => {
  const fills = plan.fills.flatMap((one) => one ?? []);
  const rest = fills.filter(({ key }, at) => {
    const isFirst = fills.findIndex((one) => one.key === key) === at;
    return !partsOfName.includes(key) && (isFirst || key === 'new');
  });
  const fields = rest.map(
    ({ key, field }): Shown =>
      field
        ? { name: field.name, cell: (values, asked) => customValue(field, values, asked) }
        : {
            name: plan.labelOf(key) ?? key,
            cell: (values, asked) => ownValue(plan, key, values, asked),
          },
  );
  return plan.kind === 'matter' ? fields : [{ name: 'Name', cell: nameIn }, ...fields];
};

const nameIn = (values: RowValues, asked?: NewRecord) =>
  asked && asked.kind !== 'matter'
    ? displayName(mergeName(asked.body))
    : partsOfName.flatMap((key) => values.all(key)).join(' ');

type CustomField = NonNullable<NonNullable<Plan['fills'][number]>['field']>;

const customValue = (field: CustomField, values: RowValues, asked?: NewRecord) => {
  const meant = asked?.body.customFields?.[field.name];
  if (meant === undefined) return values.fields.find((one) => one.field.id === field.id)?.text;
  const kind = kindOf(field);
  return kind.shown(kind.text(meant), {});
};

/** A value of a field that every firm has: by its name in the firm, and as people read it. */
const ownValue = (plan: Plan, key: string, values: RowValues, asked?: NewRecord) => {
  const text = values.all(key).join(', ');
  const body: Record<string, unknown> = { ...asked?.body };
  if (days.includes(key)) return body[key] ? day.shown(String(body[key]), {}) : text;
  if (key === 'nextTouch') {
    const step = asked?.kind === 'lead' && asked.byPeople.nextTouch;
    return step ? dayOrTime.shown(dayOrTime.text(step), {}) : text;
  }
  if (key === 'type') {
    return { PERSON: 'Person', COMPANY: 'Company' }[String(body.type)] ?? text;
  }
  if (key === 'value')
    return body.value ? leadFields.value.kind.shown(String(body.value), {} as never) : text;
  if (key === 'practiceArea' && text === '') {
    return plan.firmLists.areas.find(({ id }) => id === body.practiceAreaId)?.name;
  }
  if (proseFields.includes(key)) return text;
  return text
    .split(/\s*[;|]\s*/)
    .map((one) => nameInFirm(plan, key, one))
    .join(', ');
};

/** How the firm writes the name in a cell: `Family` for `family`. */
const nameInFirm = ({ firmLists }: Plan, key: string, text: string) => {
  const { areas, leadStages, types, members } = firmLists;
  const lists: Record<string, readonly { name: string; email?: string }[]> = {
    practiceArea: areas,
    stage: leadStages.length > 0 ? leadStages : areas.flatMap(({ stages }) => stages),
    matterType: types,
    assignee: members,
    responsibleAttorney: members,
    originatingAttorney: members,
    responsibleStaff: members,
  };
  const asked = text.toLowerCase();
  const found = lists[key]?.find(
    ({ name, email }) => name.toLowerCase() === asked || email?.toLowerCase() === asked,
  );
  return found?.name ?? text;
};

type RefusedProps = { found: Import; rows: readonly RefusedRow[]; all: number };

export const RefusedRows = ({ found, rows, all }: RefusedProps) => (
  <Panel
    id="refused"
    title={`Skipped: ${counted(all, 'row')}`}
    action={<DownloadsSkipped found={found} />}
  >
    <Rows all={all} shown={rows.length}>
      {rows.map(({ row, why }) => (
        <li>
          <span class="muted nowrap">Row {written(row + 1)}</span>
          <span class="grow">{why}</span>
        </li>
      ))}
    </Rows>
  </Panel>
);

const DownloadsSkipped = ({ found }: { found: Import }) =>
  found.hasContent ? (
    <a class="button small" href={`/settings/imports/${found.id}/refused`} download>
      <Icon name="download" />
      Download skipped rows
    </a>
  ) : null;

const Rows = ({
  all,
  shown,
  children,
}: {
  all: number;
  shown: number;
  children: ComponentChild;
}) => (
  <>
    <ul class="rows">{children}</ul>
    {all > shown && (
      <p class="body muted">
        The first {written(shown)} of {written(all)}.
      </p>
    )}
  </>
);

type RecordsProps = {
  id: string;
  title: string;
  kind: ImportedKind;
  rows: readonly RecordOfRow[];
  all: number;
  /** What is said below a record. */
  sub?: (one: RecordOfRow) => ComponentChild;
  action?: ComponentChild;
  /** What is said above all. */
  children?: ComponentChild;
};

export const Records = ({ id, title, kind, rows, all, sub, action, children }: RecordsProps) => (
  <Panel id={id} title={title} action={action}>
    {children}
    <Rows all={all} shown={rows.length}>
      {rows.map((one) => (
        <li>
          <span class="muted nowrap">Row {written(one.row + 1)}</span>
          {one.id ? (
            <div class="grow">
              <a class="name" href={`/${kind}s/${one.id}`}>
                {one.name}
              </a>
              {sub?.(one)}
            </div>
          ) : (
            <span class="grow">{capitalised(namelessWords(kind, one))}</span>
          )}
        </li>
      ))}
    </Rows>
  </Panel>
);

const sameBy: Record<ImportedKind, string> = {
  contact: 'The same name, and the same email or phone.',
  lead: 'The same name, and the same email or phone.',
  matter: 'The same former number, or the same title and client.',
};

type KnownProps = {
  found: Import;
  rows: readonly RecordOfRow[];
  all: number;
  /** Whether the visitor's role reads matters. */
  seesMatters: boolean;
  /** Whether another panel has the download of all skipped rows. */
  isSecond: boolean;
};

/** The rows whose record exists: which it is, and what to do with what they say besides. */
export const KnownRows = ({ found, rows, all, seesMatters, isSecond }: KnownProps) => (
  <Records
    id="same"
    title={`${existsAlready}: ${counted(all, 'row')}`}
    kind={found.kind}
    rows={rows}
    all={all}
    action={!isSecond && <DownloadsSkipped found={found} />}
    sub={({ matterId, matterNumber }) =>
      matterId &&
      seesMatters && (
        <div class="sub">
          Hired, as matter <a href={`/matters/${matterId}`}>{matterNumber}</a>.{' '}
          {adviceOn('lead', true)}
        </div>
      )
    }
  >
    <p class="body muted">
      {sameBy[found.kind]} An import changes no record. {adviceOn(found.kind)}
    </p>
  </Records>
);
