/** @jsxImportSource preact */
import { type Call, directions, noteCall } from '../../about/call.ts';
import { isId } from '../../base/columns.ts';
import { invalidField, notFound } from '../../base/refusal.ts';
import { plainly } from '../../base/rule.ts';
import { readContact } from '../../contacts/contact.ts';
import type { Permission } from '../../firm/permissions.ts';
import { readLead } from '../../leads/list.ts';
import { leadChangeByPeople } from '../../leads/wire.ts';
import { matterById } from '../../matters/by-number.ts';
import { search } from '../../search/search.ts';
import { cameFrom, pathWithin } from '../address.ts';
import { Choices } from '../choices.tsx';
import { Field, useField } from '../field.tsx';
import { checked, type Fields, mustHave } from '../fields.ts';
import { Form, TextArea } from '../form.tsx';
import { useForm } from '../frame.tsx';
import { Island } from '../island.tsx';
import { leadFields } from '../leads/fields.tsx';
import { Title } from '../page-parts.tsx';
import { dayOrTime } from '../records/kinds.tsx';
import { namesInWords, saying } from '../said.ts';
import { pathOf } from '../search/results.tsx';
import { form, type Page, page, type Shown, type Visit } from '../visit.ts';
import { createWords, draftOfCall, leadOfCall } from './caller.ts';
import { RecordPicker } from './record-picker.tsx';

/** Whom a call was with. `what` tells the record from others with its name: `Lead L-0041`. */
type Whom = { about: Call['about']; recordId: string; name: string; what: string };

const kinds = {
  '/leads': { about: 'lead', rights: 'leads' },
  '/matters': { about: 'matter', rights: 'matters' },
  '/contacts': { about: 'contact', rights: 'contacts' },
} as const;
type PlaceOfKind = keyof typeof kinds;

/** The kind and the id in the address of a record's page: `/leads/1`. */
const recordIn = (path: string | undefined) => {
  const [place = '', id = ''] = path?.split(/(?<=\w)\/|\?/) ?? [];
  return place in kinds && isId(id) ? { place: place as PlaceOfKind, id } : undefined;
};

type May = (permission: Permission) => boolean;

/** The kinds of records that a member may see and write notes about. */
const placesFor = (may: May) =>
  (Object.keys(kinds) as PlaceOfKind[]).filter((place) => {
    const { rights } = kinds[place];
    return may(`${rights}:read`) && may(`${rights}:write`);
  });

/** What a member reads and may not write about, in words: `matters`. */
const closedTo = (may: May) =>
  Object.values(kinds)
    .map(({ rights }) => rights)
    .filter((rights) => may(`${rights}:read`) && !may(`${rights}:write`));

/** The record at this address. Throws `Refusal` not_found, also for one that the member may not see. */
const whomAt = async ({ actor, may }: Visit, path: string): Promise<Whom> => {
  const named = recordIn(path);
  if (!named || !placesFor(may).includes(named.place)) throw notFound();
  const { place, id } = named;
  const { about } = kinds[place];
  const record = { about, recordId: id };
  if (about === 'contact')
    return { ...record, name: (await readContact(actor, id)).name, what: 'Contact' };
  if (about === 'matter') {
    const { title, number } = await matterById(actor, id);
    return { ...record, name: title, what: `Matter ${number}` };
  }
  const { contact, publicId } = await readLead(actor, id);
  const what = `Lead ${publicId}`;
  return { ...record, name: contact?.name ?? `lead ${publicId}`, what };
};

/** So many are offered where words fit several. */
const maxLike = 8;

type Like = { path: string; name: string; sub: string };

/** Those whom the words fit, for a browser without a script. */
const like = async ({ actor, may }: Visit, text: string): Promise<Like[]> => {
  const places = placesFor(may);
  const among = {
    leads: places.includes('/leads'),
    matters: places.includes('/matters'),
    contacts: places.includes('/contacts'),
  };
  const part = { limit: maxLike, offset: 0 };
  const { rows } = await search(actor, among, text.slice(0, 200), part);
  return rows.map((row) => ({
    path: pathOf(row),
    name: row.title,
    sub: `${row.type.charAt(0)}${row.type.slice(1).toLowerCase()} ${row.publicId ?? ''}`.trim(),
  }));
};

const showCall = async (visit: Visit): Promise<Shown> => {
  const { query, refused, request, may } = visit;
  // A refused call can stand on the page below.
  const isInDialog = request.headers.get('x-sent-by') === 'dialog';
  const about = query.get('about');
  const back = pathWithin(refused?.fields.raw('back') ?? cameFrom(request, about ?? '/'));
  const here = (about ?? back).replace(/\?.*/, '');
  const said = (refused ? refused.fields.text('fixed') : recordIn(here) && here) ?? '';
  const whom = said ? await whomAt(visit, said).catch(() => undefined) : undefined;
  const picked = refused?.fields.text('about');
  const chosen = picked ? await whomAt(visit, picked).catch(() => undefined) : undefined;
  const isUnclear = refused?.refusal.faults.some(({ field }) => field === 'who') ?? false;
  const who = refused?.fields.text('who') ?? '';
  const found = isUnclear ? await like(visit, who) : [];
  const creates = !whom && may('leads:write');
  return {
    title: 'Note a call',
    work: 'form',
    main: (
      <div class="prose">
        <Title title="Note a call" />
        <Form
          action="/calls/new"
          save="Save call"
          cancel={back}
          draft={`${draftOfCall}${said}`}
          makes="call"
          within={isInDialog ? 'new-call' : 'call'}
          behind={
            creates && (
              <div class="row end only-plain" hidden={!isUnclear || !who || found.length > 0}>
                <button class="button names" formaction={leadOfCall}>
                  {createWords(who)}
                </button>
              </div>
            )
          }
        >
          <input type="hidden" name="back" value={back} />
          {whom ? (
            <div class="field">
              <span class="label">Who</span>
              <p>
                <a href={said}>{whom.name}</a>
              </p>
              <input type="hidden" name="fixed" value={said} />
            </div>
          ) : (
            <Who
              name="who"
              label="Who"
              places={placesFor(may)}
              closed={closedTo(may)}
              found={found}
              what={chosen?.what}
              creates={creates}
            />
          )}
          <Choices
            name="direction"
            label="Call"
            value="in"
            options={[
              { value: 'in', name: 'In', hint: 'They called' },
              { value: 'out', name: 'Out', hint: 'You called' },
            ]}
          />
          <TextArea
            name="text"
            label="What was said"
            ask="Write what was said."
            rows={4}
            required
            first={whom !== undefined}
          />
          {(whom ? whom.about === 'lead' : may('leads:write')) && (
            <div class="next-of-call">
              {dayOrTime.control(
                { name: 'nextTouch', label: leadFields.nextTouch.label, value: '' },
                {},
              )}
            </div>
          )}
          {!whom && may('leads:write') && <p class="muted">Only a lead has a next step.</p>}
        </Form>
      </div>
    ),
  };
};

type WhoProps = {
  name: string;
  label: string;
  places: readonly PlaceOfKind[];
  /** The kinds of records that the member sees and cannot choose. */
  closed: readonly string[];
  found: readonly Like[];
  /** What the record is that was chosen in a form that was refused. */
  what: string | undefined;
  /** Whether a lead can be made of somebody whom nobody knows. */
  creates: boolean;
};

const Who = ({ places, closed, found, what, creates, ...named }: WhoProps) => {
  const ofMatters = places.includes('/matters');
  const ofPeople = places.some((place) => place !== '/matters');
  const asks = ofMatters ? 'A name, a number, or a matter' : 'A name or a number';
  const hint =
    closed.length > 0
      ? `${asks}. Calls cannot be noted on ${namesInWords(closed)}: your role may not change them.`
      : asks;
  const props = { ...named, hint, ask: 'Say who it was.', required: true };
  const field = useField(props, '');
  const { id, value, control } = field;
  const { refused } = useForm();
  return (
    <>
      <Field {...props} field={field}>
        <Island
          name="record"
          of={RecordPicker}
          props={{
            id,
            name: control.name,
            value,
            isInvalid: control['aria-invalid'] ?? false,
            describedBy: control['aria-describedby'],
            chosen: { name: 'about', value: refused?.fields.text('about') ?? '', what },
            kinds: [ofPeople && 'person', ofMatters && 'matter'].filter(Boolean).join(' or '),
            creates,
          }}
        />
      </Field>
      {found.length > 0 && (
        <fieldset>
          <legend>Who is it?</legend>
          <input type="hidden" name="asked" value={value.trim()} />
          <div class="choices">
            {found.map(({ path, name, sub }) => (
              <label>
                <input type="radio" name="listed" value={path} checked={found.length === 1} />
                <span>
                  {name}
                  <small>{sub}</small>
                </span>
              </label>
            ))}
          </div>
        </fieldset>
      )}
    </>
  );
};

/** The address of the record that the form names; of a list only while it is that of these words. */
const pathIn = (fields: Fields) => {
  const isListed = fields.text('asked') === fields.text('who');
  return fields.text('fixed') || fields.text('about') || (isListed ? fields.text('listed') : '');
};

const save = async (visit: Visit, fields: Fields) => {
  const path = pathIn(fields);
  mustHave(fields, ...(path ? [] : ['who']), 'text');
  if (!path) {
    const found = await like(visit, fields.text('who') ?? '');
    const names = namesInWords(
      placesFor(visit.may).map((place) => kinds[place].about),
      'or',
    );
    throw invalidField(
      'who',
      found.length > 0
        ? plainly('Choose below who it was', 'must be one of these')
        : plainly(`No ${names} has this name or number`, `must be in a ${names}`),
    );
  }
  const whom = await whomAt(visit, path);
  // Once another record is chosen while somebody types, the step is hidden, and kept for a lead.
  const isHidden = fields.text('about') === path && whom.about !== 'lead';
  const { nextTouch } = checked(leadChangeByPeople, {
    nextTouch: isHidden ? null : dayOrTime.sent(fields, 'nextTouch'),
  });
  if (nextTouch && whom.about !== 'lead') {
    throw invalidField('nextTouch', 'is only for leads: leave it empty, or choose the lead');
  }
  const direction = directions.find((one) => one === fields.text('direction')) ?? 'in';
  const said = fields.raw('text') ?? '';
  await noteCall(visit.actor, { ...whom, direction, said, nextTouch: nextTouch ?? undefined });
  const back = pathWithin(fields.raw('back'));
  const word = whom.about === 'matter' ? 'about' : 'with';
  return saying(back, `Noted the call ${word} ${whom.name}.`);
};

const writes = { anyOf: ['leads:write', 'matters:write', 'contacts:write'] } as const;
const callPage = page('/calls/new', writes, showCall);

export const callPages: Page[] = [
  callPage,
  form('/calls/new', writes, save, callPage, { once: true }),
];
