/** @jsxImportSource preact */
import type { ComponentChildren } from 'preact';
import { Check } from './choices.tsx';
import { Cancel, Dialog } from './dialog.tsx';
import { type Option, optionsIn } from './form.tsx';
import { useFrame } from './frame.tsx';
import { Icon } from './icon.tsx';
import { markup } from './markup.ts';

/** Parts of the address that a form does not set, so that they stay. */
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

type FiltersProps = {
  path: string;
  /** Whether the dialog has a field of this name. */
  has(name: string): boolean;
  children: ComponentChildren;
};

/** The filters that have no place in the bar; on a phone, all of them. */
export const MoreFilters = ({ path, has, children }: FiltersProps) => (
  <Dialog
    id="filters"
    title={
      <>
        <span class="only-wide">More filters</span>
        <span class="only-phone">Filters</span>
      </>
    }
    class="slim"
  >
    <form class="form" method="get" action={path} autocomplete="off" novalidate>
      <Hidden except={(name) => isLeftOut(name) || has(name)} />
      {children}
      <div class="row end">
        <Cancel />
        <button class="button primary">Show</button>
      </div>
    </form>
  </Dialog>
);

/** Days from one to another. */
export const Pair = ({
  of,
  names: [from, to],
}: {
  of: string;
  names: readonly [string, string];
}) => (
  <div class="pair">
    <Entry name={from} label={`${of} from`} type="date" />
    <Entry name={to} label={`${of} to`} type="date" />
  </div>
);

/** A day, a number or a text to filter by. */
export const Entry = ({
  name,
  label,
  type,
}: {
  name: string;
  label: string;
  type: 'date' | 'number' | 'text';
}) => {
  const { visit } = useFrame();
  return markup`<div class="field"><label for="by-${name}">${label}</label><input class="input" id="by-${name}" name="${name}" type="${type}"${
    type === 'number' && markup` min="1"`
  } value="${visit.query.get(name)}"/></div>`;
};

type PickProps = { name: string; label: string; options: readonly Option[] };

/** One of a few to filter by. */
export const Pick = ({ name, label, options }: PickProps) => {
  const { visit } = useFrame();
  const chosen = visit.query.get(name);
  return markup`<div class="field"><label for="by-${name}">${label}</label><span class="select"><select class="input" id="by-${name}" name="${name}"><option value="">Any</option>${optionsIn(options, chosen)}</select>${Icon({ name: 'chevron-down' })}</span></div>`;
};

type Offered = { key: string; name: string };

/** Which columns are shown, of those that can be left out. */
export const Columns = ({
  path,
  all,
  shown,
}: {
  path: string;
  all: readonly Offered[];
  /** The keys of those that are shown. */
  shown: readonly string[];
}) => (
  <Dialog id="columns" title="Columns" class="slim">
    <form class="form" method="get" action={path} autocomplete="off" novalidate>
      <Hidden except={(name) => isLeftOut(name) || name === 'columns'} />
      <fieldset class="checks">
        <legend class="hide">More columns</legend>
        {all.map(({ key, name }) => (
          <Check name="columns" value={key} label={name} checked={shown.includes(key)} />
        ))}
      </fieldset>
      <div class="row end">
        <Cancel />
        <button class="button primary">Show</button>
      </div>
    </form>
  </Dialog>
);
