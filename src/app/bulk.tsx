/** @jsxImportSource preact */
import { isId } from '../base/columns.ts';
import { invalid, notFound, Refusal } from '../base/refusal.ts';
import type { Actor } from '../record/actor.ts';
import type { Fields } from './fields.ts';
import type { Option } from './form.tsx';
import { markup } from './markup.ts';
import { Menu } from './menus.tsx';

const maxAtOnce = 200;

type Change = (actor: Actor, id: string) => Promise<unknown>;

export type Several = {
  /** What they are called: `leads`. */
  nouns: string;
  /** By the first word of a button's `do`; the rest of that is its choice. */
  changes: Readonly<Record<string, (choice: string) => Change>>;
  /** The number of one of them, to name it in a refusal. */
  numberOf(actor: Actor, id: string): Promise<string>;
};

/** Whether a form is about several records. */
export const isForSeveral = (fields: Fields) => (fields.raw('do') ?? '').startsWith('all-');

/**
 * Does the same with each ticked record, through its own verb. If some are refused, the others are
 * still done. Then it throws `Refusal` conflict with the number of changed ones and the reasons.
 */
export const changeSeveral = async (
  actor: Actor,
  fields: Fields,
  { nouns, changes, numberOf }: Several,
): Promise<void> => {
  const [, word = '', choice = ''] = /^([a-z-]+):(.+)$/.exec(fields.raw('do') ?? '') ?? [];
  const change = changes[word]?.(choice);
  const ids = [...new Set(fields.all('id'))];
  if (!change) throw invalid('The form did not say what to do. Reload the page.');
  if (ids.length === 0) throw invalid(`Tick the ${nouns} first.`);
  if (ids.length > maxAtOnce) throw invalid(`At most ${maxAtOnce} ${nouns} are changed at once.`);
  const refused = new Map<string, string[]>();
  for (const id of ids) {
    const why = await tryOn(actor, id, change, numberOf);
    if (why) refused.set(why.sentence, [...(refused.get(why.sentence) ?? []), why.number]);
  }
  const count = [...refused.values()].flat().length;
  if (count === 0) return;
  const reasons = [...refused].map(([sentence, numbers]) => `${numbers.join(', ')}: ${sentence}`);
  throw new Refusal(
    'conflict',
    `${ids.length - count} of ${ids.length} ${nouns} were changed. Not changed: ${reasons.join(' ')}`,
  );
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
