/** @jsxImportSource preact */

import { written } from '../base/numbers.ts';
import { invalid, Refusal } from '../base/refusal.ts';
import { beginBulk, maxBulk, readBulk, refusedOf } from '../bulk/bulk.ts';
import { doNow, workStep } from '../bulk/step.ts';
import type { BulkAct, BulkKind } from '../bulk/table.ts';
import type { Reader } from '../record/actor.ts';
import { Cancel, Dialog } from './dialog.tsx';
import type { Fields } from './fields.ts';
import type { Option } from './form.tsx';
import { useFrame } from './frame.tsx';
import { Icon, type IconName } from './icon.tsx';
import { markup } from './markup.ts';
import { Menu } from './menus.tsx';
import { counted } from './numbers.ts';
import { namesInWords, refusedWithUndo, saying } from './said.ts';
import type { GoTo, Undo, Visit } from './visit.ts';

/** What is said of what was done to several records, by the first word of a button's `do`. */
type InWords = {
  /** What is done, before the number of records: `Move`. */
  title: string;
  /** What happened, in a sentence: `Moved 5 leads to Contacted.` */
  said(reader: Reader, many: string, act: BulkAct): string | Promise<string>;
};

export type Several = {
  /** What one of them is called. */
  noun: BulkKind;
  acts: Partial<Record<BulkAct['what'], InWords>>;
  /** Those that the address of the list asks for: at most `max` of them, and how many there are. */
  found(visit: Visit, max: number): Promise<{ rows: readonly { id: string }[]; total: number }>;
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
  const most = () => {
    const words = `At most ${written(maxBulk)} ${noun}s are changed at once.`;
    return invalid(`${words} Filter the list, and do it in parts.`);
  };
  const every = fields.text(everyField);
  if (every === undefined) {
    const ids = [...new Set(fields.all('id'))];
    if (ids.length === 0) throw invalid(`Tick the ${noun}s first.`);
    if (ids.length > maxBulk) throw most();
    return ids;
  }
  if (Number(every) > maxBulk) throw most();
  const { rows, total } = await found(visit, maxBulk + 1);
  if (String(total) !== every) {
    const sentence = `You selected ${written(Number(every))} ${noun}s, but ${written(total)} match now. Look at the list, and select them again.`;
    throw new Refusal('conflict', sentence);
  }
  return rows.map(({ id }) => id);
};

/** What a button of the ticked rows asks for. Throws `Refusal` invalid_request. */
const actIn = (fields: Fields, { acts }: Several): BulkAct => {
  const [, what = '', choice = ''] = /^all-([a-z-]+):(.+)$/.exec(fields.raw('do') ?? '') ?? [];
  const known = (Object.keys(acts) as BulkAct['what'][]).find((one) => one === what);
  if (!known) throw invalid('The form did not say what to do. Reload the page.');
  const memberIds = known === 'assign' ? fields.all(tickField) : [];
  if (known === 'assign' && choice !== 'replace' && memberIds.length === 0) {
    throw invalid('Tick at least one name.');
  }
  return { what: known, choice, memberIds };
};

/** So many refused records are named where the form was sent. More are listed on the bulk's page. */
const maxNamed = 20;

/**
 * Does the same with each ticked record, or with all that match, and leads to `path`; to the bulk's own
 * page if a job does it, because they are many or take long. If some are refused, the others are still done. Then it
 * throws `Refusal` conflict with the number of changed ones and the reasons, and with what takes back
 * those that were changed.
 */
export const changeSeveral = async (
  visit: Visit,
  path: string,
  fields: Fields,
  several: Several,
): Promise<GoTo> => {
  const { actor } = visit;
  const act = actIn(fields, several);
  const ids = await idsIn(visit, fields, several);
  const begun = await beginBulk(actor, { kind: several.noun, act, ids });
  await doNow(actor, begun, workStep);
  const { id, doneAt, counts } = await readBulk(actor, begun.id);
  const undo: Undo = { action: `${bulkPath(id)}/undo`, fields: [] };
  if (!doneAt)
    return saying(bulkPath(id, path), `${counted(counts.all, several.noun)} are being changed.`);
  if (counts.changed === counts.all) {
    return saying(path, await saidOf(actor, several, act, counts.changed), undo);
  }
  if (counts.all - counts.changed > maxNamed) {
    return saying(bulkPath(id, path), changedWords(several, counts));
  }
  const refusal = await refusalOf(actor, several, id, counts);
  if (counts.changed === 0) throw refusal;
  throw refusedWithUndo(refusal, { words: changedWords(several, counts), undo });
};

/** The page of a bulk. When all is done, it leads to the address of the list, if it has one. */
export const bulkPath = (id: string, list?: string): string =>
  `/bulk/${id}${list === undefined ? '' : `?${new URLSearchParams({ to: list })}`}`;

/** What happened, in a sentence. */
export const saidOf = async (
  reader: Reader,
  { noun, acts }: Several,
  act: BulkAct,
  count: number,
): Promise<string> =>
  (await acts[act.what]?.said(reader, counted(count, noun), act)) ??
  `${counted(count, noun)} changed.`;

type Changed = { changed: number; all: number };

/** How many were changed, if some were refused. */
export const changedWords = ({ noun }: Several, { changed, all }: Changed) =>
  `${written(changed)} of ${counted(all, noun)} ${changed === 1 ? 'was' : 'were'} changed.`;

/** Why some records were refused: each reason once, after the numbers of its records. */
const refusalOf = async (reader: Reader, several: Several, id: string, counts: Changed) => {
  const rows = await refusedOf(reader, { id, kind: several.noun }, maxNamed);
  const reasons = Map.groupBy(rows, ({ number, why }) => (number ? why : goneWords));
  const sentences = [...reasons].map(
    ([why, of]) => `${of.map(({ number }) => number ?? 'one').join(', ')}: ${why}`,
  );
  const words = changedWords(several, counts);
  return new Refusal('conflict', `${words} Not changed: ${sentences.join(' ')}`);
};

export const goneWords = 'You can no longer see it.';

/** What an undo did, in a sentence. */
export const undoneWords = (
  { noun }: Several,
  { undone, made }: { undone: number; made: number },
) =>
  undone === made
    ? `Undone for ${counted(undone, noun)}.`
    : `Undone for ${written(undone)} of ${counted(made, noun)}: the ${made - undone === 1 ? 'other was' : 'others were'} changed since.`;

type Named = readonly { id: string; name: string }[];

export const nameIn = (all: Named, id: string): string =>
  all.find((one) => one.id === id)?.name ?? 'another';

/** Whom an act assigns, in a sentence; empty if nobody. */
export const chosenNames = (members: Named, { memberIds }: BulkAct): string =>
  namesInWords(memberIds.map((id) => nameIn(members, id)));

const tickField = 'assigneeIds';

type ChooseProps = {
  id: string;
  label: string;
  title: string;
  options: readonly Option[];
  /** The key that presses the button. */
  letter?: string;
};

/** A button of the ticked rows that opens a choice. */
export const Choose = ({ id, label, title, options, letter }: ChooseProps) => (
  <Menu id={id} label={title} button={label} letter={letter}>
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

type OpensProps = { id: string; icon: IconName; label: string; letter?: string };

/** A button of the ticked rows that opens a dialog: `ChooseNames`. */
const OpensNames = ({ id, icon, label, letter }: OpensProps) => (
  <button
    class="button"
    type="button"
    popovertarget={id}
    data-script="opens"
    data-opens={id}
    data-key={letter}
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
      <p class="muted" data-picked hidden />
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
    <OpensNames id="add-assignee" icon="user-plus" label="Add assignee" letter="a" />
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
