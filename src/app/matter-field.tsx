/** @jsxImportSource preact */
import { invalidField } from '../base/refusal.ts';
import { plainly } from '../base/rule.ts';
import { readLead } from '../leads/list.ts';
import {
  type MatterChoice,
  matterById,
  matterChoices,
  matterOfNumber,
} from '../matters/by-number.ts';
import type { Reader } from '../record/actor.ts';
import { search } from '../search/search.ts';
import type { AboutRecord } from '../visibility/subject.ts';
import { pathOfRecord, recordIn } from './about.ts';
import { Field, useField } from './field.tsx';
import { type Fields, mustHave } from './fields.ts';
import { Island } from './island.tsx';
import { MatterPicker } from './matter-picker.tsx';
import type { Visit } from './visit.ts';

/** The record that a form's address names (`?matter=`, `?lead=`), or the matters to choose from. */
export type MatterPick = {
  fixed: AboutRecord | undefined;
  /** The member's own matters. */
  own: readonly MatterChoice[];
  /** Those that fit what was typed, if it was refused. */
  like: readonly MatterChoice[];
};

/**
 * What `MatterField` shows: nothing of matters to a role that does not read them, though it may write.
 * Throws `Refusal` not_found for an address with no matter of the firm.
 */
export const matterPick = async (visit: Visit): Promise<MatterPick> => {
  const { actor, query, refused, may } = visit;
  const named = recordIn(query);
  if (named && may(`${named.about}s:read`)) {
    return { fixed: await recordNamed(actor, named), own: [], like: [] };
  }
  if (!may('matters:read')) return { fixed: undefined, own: [], like: [] };
  const isUnclear = refused?.refusal.faults.some(({ field }) => field === 'matter');
  const [own, like] = await Promise.all([
    matterChoices(actor),
    isUnclear ? mattersLike(visit, typedIn(refused?.fields)) : [],
  ]);
  return { fixed: undefined, own, like };
};

type Naming = Pick<AboutRecord, 'about' | 'id'>;

/** Throws `Refusal` not_found, also for a lead that the reader may not see. */
const recordNamed = async (reader: Reader, { about, id }: Naming): Promise<AboutRecord> => {
  if (about === 'matter') return { about, ...(await matterById(reader, id)) };
  const { publicId, contact } = await readLead(reader, id);
  return { about, id, number: publicId, title: contact?.name ?? '' };
};

const typedIn = (fields: Fields | undefined) => fields?.text('matter') ?? '';

/** So many are offered where words fit several. */
const maxLike = 8;

const mattersLike = async ({ actor, may }: Visit, text: string): Promise<MatterChoice[]> => {
  if (!text || !may('matters:read')) return [];
  const only = { contacts: false, leads: false, matters: true };
  const { rows } = await search(actor, only, text.slice(0, 200), { limit: maxLike, offset: 0 });
  return rows.map(({ id, publicId, title }) => ({ id, number: publicId ?? '', title }));
};

/**
 * The record that the form's address names, or the matter that was chosen, or typed by its number or its whole
 * title. Throws `Refusal` for its field where the words fit no matter, or have to be chosen from.
 */
export const pickedRecord = async (visit: Visit, fields: Fields): Promise<Naming> =>
  recordIn(visit.query) ?? { about: 'matter', id: await pickedMatter(visit, fields) };

const pickedMatter = async (visit: Visit, fields: Fields): Promise<string> => {
  const { actor } = visit;
  mustHave(fields, 'matter');
  const typed = typedIn(fields);
  const isChosen = fields.text('matterAsked') === typed;
  const chosen = isChosen ? fields.text('matterChosen') : undefined;
  const named = await matterOfNumber(actor, chosen || typed);
  if (named) return named.id;
  const like = await mattersLike(visit, typed);
  const same = like.filter(({ title }) => title.toLowerCase() === typed.toLowerCase());
  const [only] = same;
  if (only && same.length === 1) return only.id;
  throw invalidField(
    'matter',
    like.length > 0
      ? plainly('Choose below which matter it is', 'must be one of these')
      : plainly(
          'No matter has this title, number or client',
          'must be the title, the number or a client of a matter',
        ),
  );
};

type MatterFieldProps = { name: 'matter'; label: string; pick: MatterPick };

/** The matter of a task or an event: found by its title, its number or a client. */
export const MatterField = ({ name, label, pick: { fixed, own, like } }: MatterFieldProps) => {
  const props = { name, label, hint: 'Its title, its number, or a client' };
  const field = useField(props, '');
  if (fixed) {
    return (
      <div class="field">
        <span class="label">{fixed.about === 'lead' ? 'Lead' : label}</span>
        <p>
          <a href={pathOfRecord(fixed)}>{fixed.number}</a> {fixed.title}
        </p>
      </div>
    );
  }
  const { control, value } = field;
  return (
    <>
      <Field {...props} field={field}>
        <Island
          name="matter"
          of={MatterPicker}
          props={{
            id: control.id,
            name: control.name,
            value,
            isInvalid: control['aria-invalid'] ?? false,
            describedBy: control['aria-describedby'],
            own: own.map(({ number, title }) => ({ number, title })),
          }}
        />
      </Field>
      {like.length > 0 && <Which asked={value} like={like} />}
    </>
  );
};

/** The matters that fit what was typed, to choose from. */
const Which = ({ asked, like }: { asked: string; like: readonly MatterChoice[] }) => (
  <fieldset>
    <legend>Which matter is it?</legend>
    <input type="hidden" name="matterAsked" value={asked.trim()} />
    <div class="choices">
      {like.map(({ number, title }) => (
        <label>
          <input type="radio" name="matterChosen" value={number} checked={like.length === 1} />
          <span>
            {title}
            <small>{number}</small>
          </span>
        </label>
      ))}
    </div>
  </fieldset>
);
