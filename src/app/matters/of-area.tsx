/** @jsxImportSource preact */
import { Field, useField } from '../field.tsx';
import { optionsIn } from '../form.tsx';
import { useFrame } from '../frame.tsx';
import { Icon } from '../icon.tsx';
import { optionsOf } from '../list.tsx';

type Choice = { id: string; name: string };

type OfAreaProps<What extends string> = {
  name: string;
  label: string;
  /** The words for no choice. */
  none: string;
  areas: readonly (Choice & Record<What, readonly Choice[]>)[];
  /** What of an area is chosen. */
  of: What;
  /** The chosen area's id. */
  area: string | undefined;
  value?: string | undefined;
};

/** A choice that depends on the practice area; a script shows only those of the chosen one. */
export const OfArea = <What extends string>({
  name,
  label,
  none,
  areas,
  of,
  area: chosen,
  value,
}: OfAreaProps<What>) => {
  const field = useField({ name, label, options: areas }, value ?? '');
  const { refused } = useFrame().visit;
  const area = refused?.fields.raw('practiceAreaId') ?? chosen;
  const all = areas.flatMap((one): readonly Choice[] => one[of]);
  const say = (sent: string) => all.find(({ id }) => id === sent)?.name ?? (sent ? 'another' : '');
  return (
    <Field name={name} label={label} field={field} say={say}>
      <span class="select">
        <select
          class="input"
          {...field.control}
          data-script="narrow"
          data-narrowed-by="practiceAreaId"
        >
          <option value="">{none}</option>
          {areas.map((one) => (
            <optgroup label={one.name} data-of={one.id} data-here={one.id === area || undefined}>
              {optionsIn(optionsOf(one[of]), field.value)}
            </optgroup>
          ))}
        </select>
        <Icon name="chevron-down" />
      </span>
    </Field>
  );
};
