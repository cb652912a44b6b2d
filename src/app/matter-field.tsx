/** @jsxImportSource preact */
import {
  type MatterChoice,
  matterById,
  matterChoices,
  matterWithNumber,
} from '../matters/by-number.ts';
import { Field, useField } from './field.tsx';
import type { Fields } from './fields.ts';
import type { Visit } from './visit.ts';

/** The matter that a form's address names (`?matter=`), or those to choose from. */
export type MatterPick = { fixed: MatterChoice | undefined; choices: readonly MatterChoice[] };

/** What `MatterField` shows. Throws `Refusal` not_found for an address with no matter of the firm. */
export const matterPick = async ({ actor, query }: Visit): Promise<MatterPick> => {
  const id = query.get('matter');
  if (id) return { fixed: await matterById(actor, id), choices: [] };
  return { fixed: undefined, choices: await matterChoices(actor) };
};

/** The id of the matter that was chosen. Throws `Refusal` not_found for its field. */
export const pickedMatter = async ({ actor, query }: Visit, fields: Fields): Promise<string> => {
  const id = query.get('matter');
  const found = id
    ? await matterById(actor, id)
    : await matterWithNumber(actor, fields.text('matter') ?? '');
  return found.id;
};

/** The matter of a task or an event: by its number, with the member's own matters to choose from. */
export const MatterField = ({ pick: { fixed, choices } }: { pick: MatterPick }) => {
  const props = { name: 'matter', label: 'Matter', hint: 'Type its number. Yours are suggested.' };
  const field = useField(props, '');
  if (fixed) {
    return (
      <div class="field">
        <span class="label">Matter</span>
        <p>
          <a href={`/matters/${fixed.id}`}>{fixed.number}</a> {fixed.title}
        </p>
      </div>
    );
  }
  return (
    <Field {...props} field={field}>
      <input
        class="input"
        {...field.control}
        list="matter-choices"
        autocomplete="off"
        required
        value={field.value}
      />
      <datalist id="matter-choices">
        {choices.map(({ number, title }) => (
          <option value={number}>{title}</option>
        ))}
      </datalist>
    </Field>
  );
};
