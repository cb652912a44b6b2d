/** @jsxImportSource preact */

import { listKeys } from '../../api-keys/list.ts';
import { headOf } from '../../audit/head.ts';
import { isCalendarDate } from '../../base/calendar-date.ts';
import { isId } from '../../base/columns.ts';
import { capitalised } from '../../base/wording.ts';
import { allCustomFields } from '../../custom-fields/custom-field.ts';
import { listMembers } from '../../firm/member.ts';
import { type LogEntry, type LogFilter, readLog } from '../../visibility/log.ts';
import { namesOfRecords } from '../../visibility/names.ts';
import { Choices } from '../choices.tsx';
import { Dialog, Opens } from '../dialog.tsx';
import { Form } from '../form.tsx';
import { useFrame } from '../frame.tsx';
import { kindName, kindsOfRecord } from '../history.ts';
import { Icon } from '../icon.tsx';
import { addressWith, Filter, Filters, optionsOf, rowsPerPage } from '../list.tsx';
import { Moment } from '../moments.tsx';
import { counted } from '../numbers.ts';
import { Empty } from '../page-parts.tsx';
import { Table } from '../table.tsx';
import { form, type Page, page, type Shown, type Visit } from '../visit.ts';
import { exportLog, formats } from './audit-export.ts';
import { Proof, proved } from './audit-proof.tsx';
import {
  actionText,
  addressOf,
  changedFields,
  changeText,
  idsIn,
  type Known,
  knownFrom,
  type Names,
  subjectOf,
} from './audit-words.ts';
import { browserWords } from './my-sessions.tsx';
import { settingsPage } from './sections.tsx';

const path = '/settings/audit';

const showAudit = async (visit: Visit): Promise<Shown> => {
  const { actor, query, session } = visit;
  const filter = filterIn(query);
  const before = /^\d{1,18}$/.exec(query.get('before') ?? '')?.[0] ?? null;
  const proof = query.has('verify') ? await proved(visit) : undefined;
  const [{ entries, hasOlder }, members, keys, head, fields] = await Promise.all([
    readLog(actor, filter, { before, max: rowsPerPage }),
    listMembers(actor),
    listKeys(actor),
    headOf(actor, actor.firmId),
    allCustomFields(actor),
  ]);
  const asked = filter.record ? [filter.record] : [];
  const names = await namesOfRecords(actor, [...entries.flatMap(idsIn), ...asked]);
  const known = knownFrom(names, fields, session, new Date());
  return settingsPage({
    title: 'Audit log',
    intro: 'Every change, who made it and when. Nobody can change an entry.',
    action: session.isOwner && (
      <Opens dialog="export">
        <Icon name="download" />
        Export
      </Opens>
    ),
    main: (
      <>
        {session.isOwner && <ExportDialog />}
        <Proof action={path} head={head} proof={proof} />
        <LogFilters {...{ members, keys, names, filter }} />
        {entries.length === 0 ? (
          <Empty text="No entries match." />
        ) : (
          <>
            <Entries entries={entries} known={known} />
            <Older entries={entries} hasOlder={hasOlder} isFirst={before === null} />
          </>
        )}
      </>
    ),
  });
};

const Entries = ({ entries, known }: { entries: LogEntry[]; known: Known }) => (
  <Table
    caption="Audit log"
    rows={entries}
    columns={[
      {
        name: 'When',
        class: 'nowrap line-2',
        cell: ({ at }) => <Moment at={at.toISOString()} />,
      },
      {
        name: 'Who',
        class: 'line-1',
        cell: ({ memberName, keyName, changes }) => (
          <>
            {changes.failedSignIn ? 'Somebody' : (memberName ?? 'The administrator')}
            {keyName && <div class="small muted">through key {keyName}</div>}
          </>
        ),
      },
      {
        name: 'What',
        isHead: true,
        class: 'line-1 whole',
        cell: (entry) => <What {...{ entry, known }} />,
      },
      {
        name: 'Record',
        class: 'number',
        cell: ({ recordId }) => (
          <a
            class="button quiet icon-only"
            href={`${path}?record=${recordId}`}
            aria-label="All entries of this record"
          >
            <Icon name="history" />
          </a>
        ),
      },
    ]}
  />
);

const What = ({ entry, known }: { entry: LogEntry; known: Known }) => {
  const record = subjectOf(entry, known);
  const href = record && !record.isGone ? addressOf(record) : undefined;
  const name = record && (href ? <a href={href}>{record.name}</a> : <b>{record.name}</b>);
  const change = changeText(entry, known);
  const fields = changedFields(entry, known);
  return (
    <div class="deed">
      {change ? (
        <p>
          {name}: {change}
        </p>
      ) : (
        <p>
          {actionText(entry)} {name}
        </p>
      )}
      {(fields.length > 0 || entry.isCut) && (
        <details>
          <summary>{summaryOf(entry, fields)}</summary>
          <dl>
            {fields.map(({ label, before, after }) => (
              <div>
                <dt>{label}</dt>
                <dd>
                  {before !== undefined && (
                    <>
                      <span class="muted">{before}</span> <Icon name="arrow-right" />
                      <span class="hide">to</span>{' '}
                    </>
                  )}
                  {after}
                </dd>
              </div>
            ))}
            <div>
              <dt>Entry</dt>
              <dd class="muted">
                {entry.id}, request <code>{entry.requestId}</code>
              </dd>
            </div>
          </dl>
        </details>
      )}
    </div>
  );
};

/** The names of many fields would say little, and a new record has most of its own. */
const summaryOf = (entry: LogEntry, fields: readonly { label: string }[]) => {
  const { isCut, action, recordKind, changes } = entry;
  if (isCut) return 'Too large to show';
  if (recordKind === 'session' && changes.address && changes.browser) {
    return `From ${changes.address.after}, ${browserWords(String(changes.browser.after))}`;
  }
  if (action === 'create' && fields.length > maxNamed) return counted(fields.length, 'field');
  return fields.map(({ label }) => label).join(', ');
};

const maxNamed = 4;

type OlderProps = { entries: LogEntry[]; hasOlder: boolean; isFirst: boolean };

const Older = ({ entries, hasOlder, isFirst }: OlderProps) => {
  const { query } = useFrame().visit;
  const to = (before: string | null) => addressWith(path, query, { before, verify: null });
  return (
    <nav class="foot" aria-label="Pages">
      <span>{counted(entries.length, 'entry', 'entries')}</span>
      <span class="row">
        {!isFirst && (
          <a class="button" href={to(null)}>
            Newest
          </a>
        )}
        {hasOlder && (
          <a class="button" href={to(entries.at(-1)?.id ?? null)} rel="next">
            Older
            <Icon name="chevron-right" />
          </a>
        )}
      </span>
    </nav>
  );
};

const ExportDialog = () => (
  <Dialog id="export" title="Export the audit log" class="slim">
    <Form action={`${path}/export`} save="Export" whole>
      <p>The file contains every change in plain text, also those of private leads.</p>
      <Choices name="as" label="File format" value="lines" options={formats} />
    </Form>
  </Dialog>
);

/** The filter in an address. Wrong values are left out. */
const filterIn = (query: URLSearchParams): LogFilter => {
  const text = (name: string) => query.get(name) ?? '';
  const day = (name: string) => (isCalendarDate(query.get(name)) ? text(name) : null);
  const id = (name: string) => (isId(text(name)) || text(name) === 'none' ? text(name) : null);
  return {
    member: id('member'),
    key: id('key'),
    kind: Object.hasOwn(kindsOfRecord, text('kind')) ? text('kind') : null,
    record: isId(text('record')) ? text('record') : null,
    from: day('from'),
    to: day('to'),
  };
};

type FiltersProps = {
  members: readonly { id: string; name: string }[];
  keys: readonly { id: string; name: string; start: string }[];
  names: Names;
  filter: LogFilter;
};

/** Which entries of the audit log are shown. */
const LogFilters = ({ members, keys, names, filter }: FiltersProps) => (
  <Filters keep={['record']}>
    <Filter
      name="member"
      label="Member"
      any="Anybody"
      options={[...optionsOf(members), { value: 'none', name: 'The administrator of the server' }]}
    />
    <Filter
      name="key"
      label="Key"
      any="People and programs"
      options={[
        { value: 'none', name: 'People' },
        ...keys.map(({ id, name, start }) => ({ value: id, name: `${name} (${start}…)` })),
      ]}
    />
    <Filter
      name="kind"
      label="Kind of record"
      any="All records"
      options={Object.entries(kindsOfRecord).map(([value, { label }]) => ({
        value,
        name: capitalised(label),
      }))}
    />
    <DayFilter name="from" label="From" value={filter.from} />
    <DayFilter name="to" label="to" value={filter.to} />
    {filter.record && <OneRecord id={filter.record} names={names} />}
  </Filters>
);

const DayFilter = ({
  name,
  label,
  value,
}: {
  name: string;
  label: string;
  value: string | null;
}) => (
  <label class="row">
    {label}
    <input class="input" type="date" name={name} value={value ?? ''} />
  </label>
);

/** The one record whose entries are shown, and a link back to all. */
const OneRecord = ({ id, names }: { id: string; names: Names }) => {
  const record = names.get(id);
  return (
    <span class="filter">
      <span>{record ? `${kindName(record.kind)}: ${record.name}` : 'One record'}</span>
      <a href={path} aria-label="Show all records">
        <Icon name="x" />
      </a>
    </span>
  );
};

const auditPage = page(path, 'audit:read', showAudit);

export const auditPages: Page[] = [
  auditPage,
  form(`${path}/export`, 'owner', exportLog, auditPage, { proof: 'export the audit log' }),
];
