/** @jsxImportSource preact */
import type { allPracticeAreas } from '../../practice-areas/list.ts';
import { beganAs } from '../fields.ts';
import { useField } from '../form.tsx';
import { useFrame } from '../frame.tsx';
import { Icon } from '../icon.tsx';

type Areas = Awaited<ReturnType<typeof allPracticeAreas>>;

type StageProps = { areas: Areas; area: string | undefined; stage?: string };

/** A matter's stage on the board of its area; a script leaves the stages of the chosen area alone. */
export const StageOfArea = ({ areas, area: chosen, stage: held }: StageProps) => {
  const field = useField({ name: 'practiceAreaStageColumnId', label: 'Stage' }, held ?? '');
  const { refused } = useFrame().visit;
  const area = refused?.fields.raw('practiceAreaId') ?? chosen;
  return (
    <div class="field">
      <label for={field.id}>Stage</label>
      <span class="select">
        <select class="input" {...field.control} data-narrowed-by="practiceAreaId">
          <option value="">The area’s first stage</option>
          {areas.map(({ id, name, stages }) => (
            <optgroup label={name} data-of={id} data-here={id === area || undefined}>
              {stages.map((stage) => (
                <option value={stage.id} selected={stage.id === field.value}>
                  {stage.name}
                </option>
              ))}
            </optgroup>
          ))}
        </select>
        <Icon name="chevron-down" />
      </span>
      {field.startedFrom !== undefined && (
        <input
          type="hidden"
          name={beganAs('practiceAreaStageColumnId')}
          value={field.startedFrom}
        />
      )}
      {field.words && (
        <p class="refusal" id={`${field.id}-fault`}>
          <Icon name="circle-alert" />
          <span>{field.words}</span>
        </p>
      )}
    </div>
  );
};
