/** @jsxImportSource preact */
import type { allPracticeAreas } from '../../practice-areas/list.ts';
import { Field, useField } from '../field.tsx';
import type { Option } from '../form.tsx';
import { useFrame } from '../frame.tsx';
import { Icon } from '../icon.tsx';

type OfAreaProps = {
  name: string;
  label: string;
  /** The words for no choice. */
  none: string;
  groups: readonly { id: string; name: string; options: readonly Option[] }[];
  area: string | undefined;
  value?: string | undefined;
};

/** A choice that depends on the practice area; a script shows only those of the chosen one. */
export const OfArea = ({ name, label, none, groups, area: chosen, value }: OfAreaProps) => {
  const field = useField({ name, label }, value ?? '');
  const { refused } = useFrame().visit;
  const area = refused?.fields.raw('practiceAreaId') ?? chosen;
  const options = groups.flatMap((group) => group.options);
  const say = (sent: string) =>
    options.find((option) => option.value === sent)?.name ?? (sent ? 'another' : '');
  return (
    <Field name={name} label={label} field={field} say={say}>
      <span class="select">
        <select class="input" {...field.control} data-narrowed-by="practiceAreaId">
          <option value="">{none}</option>
          {groups.map((group) => (
            <optgroup
              label={group.name}
              data-of={group.id}
              data-here={group.id === area || undefined}
            >
              {group.options.map((option) => (
                <option value={option.value} selected={option.value === field.value}>
                  {option.name}
                </option>
              ))}
            </optgroup>
          ))}
        </select>
        <Icon name="chevron-down" />
      </span>
    </Field>
  );
};

type Areas = Awaited<ReturnType<typeof allPracticeAreas>>;

type StageProps = { areas: Areas; area: string | undefined; stage?: string | undefined };

export const StageOfArea = ({ areas, area, stage }: StageProps) => (
  <OfArea
    name="practiceAreaStageColumnId"
    label="Stage"
    none="The area’s first stage"
    groups={areas.map(({ id, name, stages }) => ({
      id,
      name,
      options: stages.map((one) => ({ value: one.id, name: one.name })),
    }))}
    area={area}
    value={stage}
  />
);
