/** @jsxImportSource preact */
import type { ComponentChild, ComponentChildren } from 'preact';
import { written } from '../base/numbers.ts';
import type { Page } from '../record/page.ts';
import { optionsIn } from './form.tsx';
import { useFrame } from './frame.tsx';
import { Icon } from './icon.tsx';
import { markup } from './markup.ts';

export const rowsPerPage = 50;

/** The part of a list that `?page=2` asks for. A wrong page number is the first page. */
export const pageIn = (query: URLSearchParams): Page => {
  const text = query.get('page') ?? '';
  const number = /^[1-9]\d{0,6}$/.test(text) ? Number(text) : 1;
  return { limit: rowsPerPage, offset: (number - 1) * rowsPerPage };
};

/** The same address with changes to its query; null removes a part. */
export const addressWith = (
  path: string,
  query: URLSearchParams,
  changes: Record<string, string | null>,
): string => {
  const next = new URLSearchParams(query);
  next.delete('do');
  for (const [name, value] of Object.entries(changes)) {
    if (value === null || value === '') next.delete(name);
    else next.set(name, value);
  }
  const text = next.toString();
  return text ? `${path}?${text}` : path;
};

/** Below a list: which rows are shown, of how many, and links to the other pages. */
export const Foot = ({
  part,
  total,
  isMore = false,
  shown,
  hasNext = part.offset + shown < total,
}: {
  part: Page;
  total: number;
  /** Whether there are more than the total: a long list may be counted only so far. */
  isMore?: boolean;
  shown: number;
  hasNext?: boolean;
}) => {
  const { visit } = useFrame();
  const { offset, limit } = part;
  const to = (next: number) =>
    addressWith(visit.path, visit.query, { page: next <= 1 ? null : String(next) });
  const page = offset / limit + 1;
  const range = shown === 0 ? '0' : `${written(offset + 1)}–${written(offset + shown)}`;
  return (
    <nav class="foot" aria-label="Pages">
      <span>
        {range} of {isMore && 'more than '}
        {written(total)}
      </span>
      <span class="row">
        {page > 1 && (
          <a class="button" href={to(page - 1)} rel="prev">
            <Icon name="chevron-left" />
            Previous
          </a>
        )}
        {hasNext && (
          <a class="button" href={to(page + 1)} rel="next">
            Next
            <Icon name="chevron-right" />
          </a>
        )}
      </span>
    </nav>
  );
};

/** Named records as options of a choice. */
export const optionsOf = (all: readonly { id: string; name: string }[]) =>
  all.map(({ id, name }) => ({ value: id, name }));

/** What can be chosen, and what is chosen, even if it is no longer offered. */
export const withChosen = <One extends { id: string }>(
  offered: readonly One[],
  chosen: One | null | undefined,
): One[] => {
  const isLeft = chosen && !offered.some(({ id }) => id === chosen.id);
  return isLeft ? [...offered, chosen] : [...offered];
};

/** Values and their names as options of a choice. */
export const optionsFrom = <Value extends string>(names: Record<Value, string>) =>
  Object.entries<string>(names).map(([value, name]) => ({ value, name }));

/** Tabs of a page. Each is an address, one of them the present one. */
export const Tabs = ({
  label,
  tabs,
}: {
  label: string;
  tabs: readonly { href: string; name: string; count?: number | string | null; isHere: boolean }[];
}) => (
  <nav class="tabs" aria-label={label} data-script="strip">
    {tabs.map(
      ({ href, name, count, isHere }) =>
        markup`<a href="${href}"${isHere && markup` aria-current="page"`}>${name}${
          count != null &&
          markup`<span> ${typeof count === 'number' ? written(count) : count}</span>`
        }</a>`,
    )}
  </nav>
);

/** A filter of a list, in the address. A script applies it at once. */
export const Filter = ({
  name,
  label,
  options,
  any,
}: {
  name: string;
  label: string;
  options: readonly { value: string; name: string }[];
  any: string;
}) => {
  const { visit } = useFrame();
  const chosen = visit.query.get(name) ?? '';
  return markup`<label class="filter-by"><span class="hide">${label}</span><span class="select"><select class="input" name="${name}"><option value="">${any}</option>${optionsIn(options, chosen)}</select>${Icon({ name: 'chevron-down' })}</span></label>`;
};

/**
 * The filters above a list: a form whose fields become the address. `after` follows its own button. After Back, a browser
 * would fill in what was chosen last, of another address: `autocomplete` is off for this.
 */
export const Filters = ({
  children,
  keep = [],
  after,
}: {
  children: ComponentChildren;
  keep?: string[];
  after?: ComponentChildren;
}) => {
  const { visit } = useFrame();
  return (
    <form
      class="toolbar"
      method="get"
      action={visit.path}
      autocomplete="off"
      novalidate
      data-script="filters"
    >
      {keep.map((name) => {
        const value = visit.query.get(name);
        return value && <input type="hidden" name={name} value={value} />;
      })}
      {children}
      <button class="button only-plain">Apply</button>
      {after}
    </form>
  );
};

/** A key that asks something on the page of the row that has the focus: the name of its dialog. */
export type RowKey = { key: string; asks: string };

/**
 * How all that match are chosen: the field that says that they are meant, with their number; the address of the page that
 * counts them; or the number that is too many.
 */
export type Every =
  | { name: string; total: number }
  | { countedAt: string }
  | { isMoreThan: number };

/** The buttons for ticked rows of a list, around its table. */
export const Bulk = ({
  action,
  id,
  noun,
  every,
  rowKey,
  buttons,
  children,
}: {
  action: string;
  id: string;
  noun: string;
  rowKey?: RowKey | undefined;
  /** Null if the page shows all. */
  every: Every | null;
  buttons: ComponentChild;
  children: ComponentChildren;
}) => (
  <form
    method="post"
    action={action}
    class="picked"
    id={id}
    data-script="picks"
    data-asks-at={rowKey?.key}
    data-asks={rowKey?.asks}
  >
    {/* Enter in a ticked box must not press the first button. */}
    <button disabled hidden />
    <section class="bulk" aria-label={`For the selected ${noun}s`}>
      <b>With the selected</b>
      {every && <All every={every} />}
      {buttons}
      <button class="button quiet end only-scripted" type="button" data-clears>
        Clear
      </button>
    </section>
    {children}
  </form>
);

const All = ({ every }: { every: Every }) => {
  if ('isMoreThan' in every)
    return <span class="small">More than {written(every.isMoreThan)} match: filter the list</span>;
  if ('countedAt' in every) {
    return (
      <button class="all only-scripted" type="button" data-counts={every.countedAt}>
        Select all that match
      </button>
    );
  }
  return (
    <>
      <input type="hidden" name={every.name} value={every.total} disabled />
      <button class="all only-scripted" type="button" data-every={written(every.total)}>
        Select all {written(every.total)} that match
      </button>
    </>
  );
};
