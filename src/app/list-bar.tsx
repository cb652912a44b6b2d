/** @jsxImportSource preact */
import { useFrame } from './frame.tsx';
import { Icon } from './icon.tsx';
import { addressWith } from './list.tsx';
import { countedIn } from './list-query.ts';
import { maxSearched } from './search/found.ts';

/** Words that a record is found by, as a filter. `foundBy` says what they may be. */
export const WordsFilter = ({ foundBy }: { foundBy: string }) => {
  const { visit } = useFrame();
  return (
    <label class="filter-by">
      <span class="hide">Words</span>
      <input
        class="input"
        type="search"
        name="q"
        value={visit.query.get('q') ?? ''}
        maxLength={maxSearched}
        placeholder={foundBy}
      />
    </label>
  );
};

/** The chosen columns, which a form of filters does not change. */
export const KeptColumns = () => {
  const { visit } = useFrame();
  return (
    <>
      {visit.query.getAll('columns').map((value) => (
        <input type="hidden" name="columns" value={value} />
      ))}
    </>
  );
};

/** The parts of the address that the filters in the bar do not set, so that they stay. */
export const otherNames = (query: URLSearchParams, inBar: readonly string[]) =>
  [...new Set(query.keys())].filter(
    (name) => ![...inBar, 'page', 'columns', 'do', countedIn].includes(name),
  );

/** On a phone, one button for all filters. It says how many are set. */
export const PhoneFilters = ({ count }: { count: number }) => (
  <button
    class="button only-phone"
    name="do"
    value="filters"
    data-script="opens"
    data-opens="filters"
    aria-haspopup="dialog"
  >
    <Icon name="list-filter" />
    Filters
    {count > 0 && (
      <span class="count">
        {count}
        <span class="hide"> set</span>
      </span>
    )}
  </button>
);

type ToolsProps = { path: string; mayExport: boolean };

/** Views, columns, export. They stand where they are seen, so that Tab goes to them in this order. */
export const ListTools = ({ path, mayExport }: ToolsProps) => {
  const { visit } = useFrame();
  return (
    <div class="toolbar tools">
      <Ask path={path} dialog="views" icon="eye">
        Views
      </Ask>
      <Ask path={path} dialog="columns" icon="columns-3">
        Columns
      </Ask>
      {mayExport && (
        <form class="act" method="post" action={`${path}/export?${visit.query}`} data-whole>
          <button class="button quiet">
            <Icon name="download" />
            Export
          </button>
        </form>
      )}
    </div>
  );
};

type FurtherProps = {
  path: string;
  /** Whether there are further filters. */
  hasMore: boolean;
  chips: readonly Chip[];
};

/** After the filters: those in force that have no place there, and further ones. */
export const FurtherFilters = ({ path, hasMore, chips }: FurtherProps) => {
  const { visit } = useFrame();
  if (!hasMore && chips.length === 0) return null;
  return (
    <div class="toolbar">
      {chips.map(({ names, words }) => (
        <span class="filter">
          <span>{words}</span>
          <a
            href={addressWith(path, visit.query, { ...without(names), page: null })}
            aria-label={`Remove the filter ${words}`}
          >
            <Icon name="x" />
          </a>
        </span>
      ))}
      {hasMore && (
        <Ask path={path} dialog="filters" icon="list-filter" class="only-wide">
          More filters
        </Ask>
      )}
    </div>
  );
};

/** An address without what it is filtered by under these names. */
const without = (names: readonly string[]) => Object.fromEntries(names.map((name) => [name, null]));

/** Says that the list is shown without a filter, because its custom field was removed. */
export const Removed = ({ path, names }: { path: string; names: readonly string[] }) => {
  const { visit } = useFrame();
  if (names.length === 0) return null;
  return (
    <div class="banner" role="status">
      <Icon name="info" />
      <div>
        <h2>A custom field was removed</h2>
        <p>
          This address filters by a custom field that the firm no longer has. The list is shown
          without that filter.{' '}
          <a href={addressWith(path, visit.query, { ...without(names), page: null })}>
            Remove the filter
          </a>
        </p>
      </div>
    </div>
  );
};

type AskProps = {
  path: string;
  dialog: string;
  icon: 'list-filter' | 'eye' | 'columns-3';
  class?: string;
  children: string;
};

/** A link that opens a dialog of the page. It works without a script. */
const Ask = ({ path, dialog, icon, class: className = '', children }: AskProps) => {
  const { visit } = useFrame();
  return (
    <a
      class={`button quiet ${className}`}
      href={addressWith(path, visit.query, { do: dialog })}
      data-script="opens"
      data-opens={dialog}
      aria-haspopup="dialog"
    >
      <Icon name={icon} />
      {children}
    </a>
  );
};

/** An active filter that has no control in the bar, with a button to remove it. */
export type Chip = { names: readonly string[]; words: string };
