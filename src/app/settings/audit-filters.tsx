/** @jsxImportSource preact */

import { isCalendarDate } from '../../base/calendar-date.ts';
import { isId } from '../../base/columns.ts';
import { capitalised } from '../../base/wording.ts';
import type { LogFilter } from '../../visibility/log.ts';
import { kindName, kindsOfRecord } from '../history.ts';
import { Icon } from '../icon.tsx';
import { Filter, Filters, optionsOf } from '../list.tsx';
import type { Names } from './audit-words.ts';

export const path = '/settings/audit';

/** The filter in an address. Wrong values are left out. */
export const filterIn = (query: URLSearchParams): LogFilter => {
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
export const LogFilters = ({ members, keys, names, filter }: FiltersProps) => (
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
