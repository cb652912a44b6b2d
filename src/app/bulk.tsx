/** @jsxImportSource preact */
import type { Changes } from '../audit/table.ts';
import { isId } from '../base/columns.ts';
import { invalid, notFound, Refusal } from '../base/refusal.ts';
import type { Actor, Reader } from '../record/actor.ts';
import { changesByRequest } from '../record/of-request.ts';
import { Cancel, Dialog } from './dialog.tsx';
import type { Fields } from './fields.ts';
import type { Option } from './form.tsx';
import { useFrame } from './frame.tsx';
import { Icon, type IconName } from './icon.tsx';
import { markup } from './markup.ts';
import { Menu } from './menus.tsx';
import { counted, written } from './numbers.ts';
import { namesInWords, refusedWithUndo, saying } from './said.ts';
import type { GoTo, Undo, Visit } from './visit.ts';

const maxAtOnce = 500;

/** What a member did to several records can be taken back for so long. */
const undoSeconds = 3_600;

type Change = (actor: Actor, id: string) => Promise<unknown>;

/** One of the things that can be done to several records. */
type ForSeveral = {
  /** `choice` is the rest of the button's `do`; `ids` are all that are changed. */
  change(choice: string, fields: Fields, ids: readonly string[]): Change;
  /** What happened, in a sentence: `Moved 5 leads to Contacted.` */
  said(reader: Reader, many: string, choice: string, fields: Fields): string | Promise<string>;
};

export type Several = {
  /** What one of them is called: `lead`. */
  noun: string;
  /** By the first word of a button's `do`. */
  changes: Readonly<Record<string, ForSeveral>>;
  /** Those that the address of the list asks for: at most `max` of them, and how many there are. */
  found(visit: Visit, max: number): Promise<{ rows: readonly { id: string }[]; total: number }>;
  /** Gives a record back what a change took from it. */
  takeBack(actor: Actor, id: string, changes: Changes): Promise<unknown>;
  /** The number of one of them, to name it in a refusal. */
  numberOf(actor: Actor, id: string): Promise<string>;
};

/** Whether a form is about several records. */
export const isForSeveral = (fields: Fields) => (fields.raw('do') ?? '').startsWith('all-');

/** The field of a form that is about all that the list's address asks for: how many there were. */
export const everyField = 'every';

/**
 * The ids that a form is about. Throws `Refusal` invalid_request for none or too many, and conflict if
 * the list has another number of records than when all of them were chosen.
 */
const idsIn = async (visit: Visit, fields: Fields, { noun, found }: Several) => {
  const most = () => invalid(`At most ${maxAtOnce} ${noun}s are changed at once.`);
  const every = fields.text(everyField);
  if (every === undefined) {
    const ids = [...new Set(fields.all('id'))];
    if (ids.length === 0) throw invalid(`Tick the ${noun}s first.`);
    if (ids.length > maxAtOnce) throw most();
    return ids;
  }
  const { rows, total } = await found(visit, maxAtOnce + 1);
  if (String(total) !== every) {
    const sentence = `You selected ${every} ${noun}s, but ${written(total)} match now. Look at the list, and select them again.`;
    throw new Refusal('conflict', sentence);
  }
  if (total > maxAtOnce) throw most();
  return rows.map(({ id }) => id);
};

/**
 * Does the same with each ticked record, or with all that match, through its own verb, and leads to
 * `path`. If some are refused, the others are still done. Then it throws `Refusal` conflict with the
 * number of changed ones and the reasons, and with what takes back those that were changed.
 */
export const changeSeveral = async (
  visit: Visit,
  path: string,
  fields: Fields,
  several: Several,
): Promise<GoTo> => {
  const { noun, changes, numberOf } = several;
  const { actor } = visit;
  const [, word = '', choice = ''] = /^([a-z-]+):(.+)$/.exec(fields.raw('do') ?? '') ?? [];
  const found = changes[word];
  if (!found) throw invalid('The form did not say what to do. Reload the page.');
  const ids = await idsIn(visit, fields, several);
  const change = found.change(choice, fields, ids);
  const refused = new Map<string, string[]>();
  const changed: string[] = [];
  for (const id of ids) {
    const why = await tryOn(actor, id, change, numberOf);
    if (why) refused.set(why.sentence, [...(refused.get(why.sentence) ?? []), why.number]);
    else changed.push(id);
  }
  if (changed.length === ids.length) {
    const words = await found.said(actor, counted(ids.length, noun), choice, fields);
    return saying(path, words, undoOf(actor, several, ids));
  }
  const reasons = [...refused].map(([sentence, numbers]) => `${numbers.join(', ')}: ${sentence}`);
  const words = `${changed.length} of ${ids.length} ${noun}s were changed.`;
  const refusal = new Refusal('conflict', `${words} Not changed: ${reasons.join(' ')}`);
  if (changed.length === 0) throw refusal;
  throw refusedWithUndo(refusal, { words, undo: undoOf(actor, several, changed) });
};

const tryOn = async (actor: Actor, id: string, change: Change, numberOf: Several['numberOf']) => {
  try {
    if (!isId(id)) throw notFound();
    await change(actor, id);
    return undefined;
  } catch (error) {
    if (!(error instanceof Refusal) || error.code === 'unavailable') throw error;
    const number = isId(id) ? await numberOf(actor, id).catch(() => undefined) : undefined;
    if (!number) return { number: 'one', sentence: 'You can no longer see it.' };
    return { number, sentence: error.message };
  }
};

/** The form that takes back what this request did to several records. */
const undoOf = ({ requestId }: Actor, { noun }: Several, ids: readonly string[]): Undo => ({
  action: `/${noun}s/undo`,
  fields: [['of', requestId], ...ids.map((id): [string, string] => ['id', id])],
});

/**
 * Takes back what one request did to several records, of those that nobody has changed since. Throws
 * `Refusal` conflict if it is too late.
 */
export const undoSeveral =
  (several: Several) =>
  async ({ actor }: Visit, fields: Fields): Promise<GoTo> => {
    const { noun, numberOf, takeBack } = several;
    const recordIds = fields.all('id').filter(isId).slice(0, maxAtOnce);
    const asked = { requestId: fields.text('of') ?? '', maxSeconds: undoSeconds };
    const made = await changesByRequest(actor, { ...asked, recordIds });
    if (made.length === 0) throw new Refusal('conflict', 'This can no longer be undone.');
    let count = 0;
    for (const { recordId, changes, isLast } of made) {
      // Between the reading and this write somebody may have changed it after all.
      const precondition = async (reader: Reader) => {
        const [now] = await changesByRequest(reader, { ...asked, recordIds: [recordId] });
        if (!now?.isLast) throw notFound();
      };
      const change: Change = (by, id) => takeBack({ ...by, precondition }, id, changes);
      if (isLast && !(await tryOn(actor, recordId, change, numberOf))) count += 1;
    }
    const words =
      count === made.length
        ? `Undone for ${counted(count, noun)}.`
        : `Undone for ${count} of ${counted(made.length, noun)}: the others were changed since.`;
    return saying(`/${noun}s?view=list`, words);
  };

/** Who is ticked in `ChooseNames`. Throws `Refusal` invalid_request for nobody, unless they replace others. */
export const tickedIn = (fields: Fields, how: string): string[] => {
  const memberIds = fields.all(tickField);
  if (how !== 'replace' && memberIds.length === 0) throw invalid('Tick who works on them.');
  return memberIds;
};

type Named = readonly { id: string; name: string }[];

export const nameIn = (all: Named, id: string): string =>
  all.find((one) => one.id === id)?.name ?? 'another';

/** The ticked names in a sentence; empty if nobody is ticked. */
export const chosenNames = (members: Named, fields: Fields): string =>
  namesInWords(fields.all(tickField).map((id) => nameIn(members, id)));

const tickField = 'assigneeIds';

type ChooseProps = { id: string; label: string; title: string; options: readonly Option[] };

/** A button of the ticked rows that opens a choice. */
export const Choose = ({ id, label, title, options }: ChooseProps) => (
  <Menu id={id} label={title} button={label}>
    <div role="presentation">{title}</div>
    {options.map(
      ({ value, name }) =>
        markup`<button role="menuitem" class="item" name="do" value="${id}:${value}" tabindex="-1">${name}</button>`,
    )}
  </Menu>
);

/** What was last done to several records of the list in this browser. A script fills and shows it. */
export const LastDone = () => (
  <div class="row last-done" data-script="last-done" hidden>
    <span class="grow" />
    <button class="button small" type="button">
      Undo
    </button>
    <button class="button quiet small icon-only" type="button" aria-label="Close">
      <Icon name="x" />
    </button>
  </div>
);

/** The id of the form around a list whose rows can be ticked. */
export const bulkForm = 'several';

/** A button of the ticked rows that opens a dialog: `ChooseNames`. */
const OpensNames = ({ id, icon, label }: { id: string; icon: IconName; label: string }) => (
  <button
    class="button"
    type="button"
    popovertarget={id}
    data-script="opens"
    data-opens={id}
    aria-haspopup="dialog"
  >
    <Icon name={icon} />
    {label}
  </button>
);

type NamesProps = {
  id: string;
  title: string;
  /** What the form sends as `do`, and the button that sends it. */
  act: string;
  verb: string;
  /** What the ticked ones become, where that is more than being assigned. */
  hint?: string | undefined;
  members: Named;
};

/**
 * Names to tick for the ticked rows, oneself first. It stands beside their form, as forms do not stand
 * in each other, and opens without a script too.
 */
const ChooseNames = ({ id, title, act, verb, hint, members }: NamesProps) => {
  const self = (useFrame().visit as Visit).session.member.id;
  const isSelf = (one: { id: string }) => Number(one.id === self);
  return (
    <Dialog id={id} title={title} class="slim" popover>
      {hint && <p class="muted">{hint}</p>}
      <fieldset class="checks" data-script="tick-by-letter">
        <legend class="hide">Names</legend>
        {members
          .toSorted((one, other) => isSelf(other) - isSelf(one))
          .map((member) => (
            <div class="check">
              <input
                type="checkbox"
                id={`${id}-${member.id}`}
                name={tickField}
                value={member.id}
                form={bulkForm}
              />
              <label for={`${id}-${member.id}`}>
                {member.name}
                {member.id === self && ' (you)'}
              </label>
            </div>
          ))}
      </fieldset>
      <div class="row end after">
        <Cancel />
        <button class="button primary" form={bulkForm} name="do" value={act}>
          {verb}
        </button>
      </div>
    </Dialog>
  );
};

/** The two buttons of the ticked rows that give them to somebody. `AssignDialogs` are their dialogs. */
export const AssignButtons = () => (
  <>
    <OpensNames id="add-assignee" icon="user-plus" label="Add assignee" />
    <OpensNames id="replace-assignees" icon="users" label="Replace assignees" />
  </>
);

type AssignProps = { members: Named; hints?: { add: string; replace: string } };

/** The dialogs of `AssignButtons`: their forms send `all-assign:add` and `all-assign:replace`. */
export const AssignDialogs = ({ members, hints }: AssignProps) => (
  <>
    <ChooseNames
      id="add-assignee"
      title="Add assignee"
      act="all-assign:add"
      verb="Add"
      hint={hints?.add}
      members={members}
    />
    <ChooseNames
      id="replace-assignees"
      title="Replace assignees"
      act="all-assign:replace"
      verb="Replace"
      hint={hints?.replace}
      members={members}
    />
  </>
);
