/** @jsxImportSource preact */
import { capitalised } from '../../base/wording.ts';
import type { OrderedList } from '../../record/ordered-list.ts';
import { addressOf } from '../address.ts';
import type { Fields } from '../fields.ts';
import { Act, Form, Text } from '../form.tsx';
import { useFrame } from '../frame.tsx';
import { Icon } from '../icon.tsx';
import { Panel } from '../page-parts.tsx';
import { saying } from '../said.ts';
import { SaveOrUndo } from '../values.tsx';
import { form, type Page, type ShownPage, type Visit } from '../visit.ts';
import { Removes } from './removes.tsx';

/** Where an entry was moved: one place up, or down. */
export const byIn = (fields: Fields) => (fields.text('by') === 'up' ? -1 : 1);

/** What is said of an entry that was moved: `Stage moved up: Intake.` */
export const movedWords = (noun: string) => (fields: Fields) =>
  `${noun} moved ${byIn(fields) === 1 ? 'down' : 'up'}: ${fields.text('name')}.`;

/** What is said of an entry that was removed: `Stage removed: Intake.` */
export const removedWords = (noun: string) => (fields: Fields) =>
  `${noun} removed: ${fields.text('name')}.`;

type IdAndName = { id: string; name: string };

/** What the forms of a list do. `entry` is the id of one of its names, as it stands in the address. */
type Verbs<Path extends string> = {
  add(visit: Visit<Path>, name: string): Promise<unknown>;
  rename(visit: Visit<Path>, entry: string, name: string): Promise<unknown>;
  /** A list without an order has none. */
  shift?: (visit: Visit<Path>, entry: string, by: -1 | 1) => Promise<unknown>;
  remove(visit: Visit<Path>, entry: string): Promise<unknown>;
};

/** What the forms of an ordered list of the firm do. */
export const verbsOf = ({ add, rename, shift, remove }: OrderedList): Verbs<''> => ({
  add: ({ actor }, name) => add(actor, name),
  rename: ({ actor }, id, name) => rename(actor, id, name),
  shift: ({ actor }, id, by) => shift(actor, id, by),
  remove: ({ actor }, id) => remove(actor, id),
});

type ListWords = {
  /** The last part of the forms' address. */
  id: string;
  title: string;
  intro: string;
  /** The word for one entry: `stage`. */
  noun: string;
  /** What the removal of an entry does: a sentence. */
  removed: string;
  /** An entry's name in the address. By default an entry is known by an id. */
  parameter?: string;
};

/**
 * A list of names on a page of the settings: add, rename, move, remove. Its panel stands on the
 * page, and its forms, which go to `PAGE/ID` (add), `PAGE/ID/ENTRY` (rename), `PAGE/ID/ENTRY/move`
 * (`by`: `up` or `down`) and `PAGE/ID/ENTRY/remove`, stand in the list of pages.
 */
export const nameList = <Path extends string = ''>(
  { id, title, intro, noun, removed, parameter = 'entryId' }: ListWords,
  verbs: Verbs<Path>,
) => {
  const nameIn = (fields: Fields) => fields.text('name') ?? '';
  return {
    /** The forms of the list, for those who see `shown`, the page that it stands on. */
    forms: (shown: ShownPage): Page[] => {
      const sent = (
        rest: '' | `/:${string}`,
        said: (fields: Fields) => string,
        change: (visit: Visit<Path>, entry: string, fields: Fields) => Promise<unknown>,
      ) => {
        const done = async (visit: Visit<Path>, fields: Fields) => {
          const parameters: Record<string, string> = visit.parameters;
          await change(visit, parameters[parameter] ?? '', fields);
          return saying(addressOf(shown.path, parameters), said(fields));
        };
        return form(`${shown.path}/${id}${rest}`, shown.admission, done as never, shown as never);
      };
      const { add, rename, shift, remove } = verbs;
      const one = `/:${parameter}` as const;
      const Noun = capitalised(noun);
      return [
        sent(
          '',
          (fields) => `${Noun} added: ${nameIn(fields)}.`,
          (visit, _, fields) => add(visit, nameIn(fields)),
        ),
        sent(
          one,
          (fields) => `${Noun} renamed: ${nameIn(fields)}.`,
          (visit, entry, fields) => rename(visit, entry, nameIn(fields)),
        ),
        ...(shift
          ? [
              sent(`${one}/move`, movedWords(Noun), (visit, entry, fields) =>
                shift(visit, entry, byIn(fields)),
              ),
            ]
          : []),
        sent(`${one}/remove`, removedWords(Noun), remove),
      ];
    },
    /** The list's panel, on the page at the address `at`. */
    Panel: ({ at, names }: { at: string; names: readonly IdAndName[] }) => (
      <Panel id={id} title={title}>
        <div class="body">
          <p class="muted">{intro}</p>
        </div>
        <ul class="rows">
          {names.map((one, index) => (
            <li>
              <Rename one={one} action={`${at}/${id}/${one.id}`} />
              {verbs.shift && (
                <Moves one={one} action={`${at}/${id}`} at={index} of={names.length} />
              )}
              <Removes of={one.id} name={one.name} action={`${at}/${id}/${one.id}/remove`}>
                {removed}
              </Removes>
            </li>
          ))}
        </ul>
        <div class="body">
          <Form action={`${at}/${id}`} within={id} save={`Add ${noun}`} adds>
            <Text name="name" label={`New ${noun}`} ask="Enter a name." required />
          </Form>
        </div>
      </Panel>
    ),
  };
};

export const Rename = ({ one, action }: { one: IdAndName; action: string }) => {
  const { refused } = useFrame().visit;
  return (
    <div class="grow">
      <details class="edit" data-script="edit" open={refused?.action === action}>
        <summary class="value" id={`edit-${one.id}`}>
          <span class="hide">Rename </span>
          {one.name}
          <Icon name="pencil" />
        </summary>
        <Form action={action} class="in-place" within={one.id}>
          <Text
            name="name"
            label={`Name of ${one.name}`}
            ask="Enter a name."
            value={one.name}
            required
          />
          <SaveOrUndo />
        </Form>
      </details>
    </div>
  );
};

/** The two buttons that move an entry. The first cannot go up, the last cannot go down. */
export const Moves = (props: { one: IdAndName; action: string; at: number; of: number }) => {
  const { one, action, at, of } = props;
  return (
    <>
      <Move one={one} action={action} way="up" isEnd={at === 0} />
      <Move one={one} action={action} way="down" isEnd={at === of - 1} />
    </>
  );
};

type MoveProps = { one: IdAndName; action: string; way: 'up' | 'down'; isEnd: boolean };

const Move = ({ one, action, way, isEnd }: MoveProps) =>
  isEnd ? (
    <span class="button quiet icon-only" aria-hidden="true" />
  ) : (
    <Act
      action={`${action}/${one.id}/move`}
      fields={{ by: way, name: one.name }}
      class="button quiet icon-only"
      label={`Move ${one.name} ${way}`}
    >
      <Icon name={way === 'up' ? 'arrow-up' : 'arrow-down'} />
    </Act>
  );
