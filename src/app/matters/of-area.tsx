/** @jsxImportSource preact */
import { Field, useField } from '../field.tsx';
import { optionsIn, selectOf } from '../form.tsx';
import { optionsOf } from '../list.tsx';
import { markup } from '../markup.ts';

type Choice = { id: string; name: string };

type OfAreaProps<What extends string> = {
  name: string;
  label: string;
  /** The words for no choice. */
  none: string;
  areas: readonly (Choice & Record<What, readonly Choice[]>)[];
  /** What of an area is chosen. */
  of: What;
  value?: string | undefined;
  /** Another area brings its first choice, and not none. */
  takesFirst?: boolean;
};

/** A choice that depends on the practice area; a script shows only those of the chosen one. */
export const OfArea = <What extends string>({
  name,
  label,
  none,
  areas,
  of,
  value,
  takesFirst,
}: OfAreaProps<What>) => {
  const field = useField({ name, label, options: areas }, value ?? '');
  const all = areas.flatMap((one): readonly Choice[] => one[of]);
  const say = (sent: string) => all.find(({ id }) => id === sent)?.name ?? (sent ? 'another' : '');
  const groups = areas.map(
    (one) =>
      markup`<optgroup label="${one.name}" data-of="${one.id}">${optionsIn(optionsOf(one[of]), field.value)}</optgroup>`,
  );
  const narrowing = {
    'data-script': 'narrow',
    'data-narrowed-by': 'practiceAreaId',
    'data-takes-first': takesFirst,
    'data-first': of === 'stages',
  };
  const options = markup`<option value="">${none}</option>${groups}`;
  const children = selectOf({ ...field.control, ...narrowing }, options);
  return Field({ name, label, field, say, children });
};
