/** @jsxImportSource preact */
import type { ComponentChildren, VNode } from 'preact';
import { useEffect, useLayoutEffect, useRef, useState } from 'preact/hooks';
import { wordsOf } from '../search-text/search-text.ts';
import { afterPress } from './browser/pressing.ts';
import { type Found, maxSearched } from './search/found.ts';

type FoundRecord = Found & { id: string };

/** `leftOut` says which words were not searched for. `create` makes a lead of what was not found. */
type Answer = { found: Found[]; leftOut?: string; create?: Found };

const nothing: Omit<Answer, 'found'> & { found: FoundRecord[]; to: string } = { found: [], to: '' };

/** The records that are found: those of a kind, or those that the member may write about. So the search page is asked. */
type Among = 'kind=contacts' | 'kind=matters' | 'for=writing';

/** Said where nothing contains what was typed. */
export const onlySimilar = 'Only similar names are found.';

/**
 * Finds records while somebody types, as the search page does; only those `among` some if it is
 * given. `isAsked` says that the answer for this text has come; until then, `isLooking`, what was found before stays.
 */
export const useFound = (text: string, among?: Among) => {
  const [{ to, ...answered }, setFound] = useState(nothing);
  const q = text.trim().slice(0, maxSearched);
  const isShort = q.length < 2;
  useEffect(() => {
    if (isShort) return setFound(nothing);
    let isPast = false;
    const timer = setTimeout(async () => {
      const { askFor } = await import('./browser/ask.ts');
      const query = new URLSearchParams(among);
      query.set('q', q);
      const answer = await askFor<Answer>(`/search?${query}`);
      if (isPast) return;
      const named = (answer?.found ?? []).map((one) => ({
        ...one,
        id: one.path.split('/')[2] ?? '',
      }));
      setFound({ ...answer, found: named, to: q });
    }, 120);
    return () => {
      isPast = true;
      clearTimeout(timer);
    };
  }, [q, among]);
  return { ...answered, isAsked: !isShort && to === q, isLooking: !isShort && to !== q };
};

/**
 * A record that was chosen in a form, as the form's draft holds it. `id` is what the form sends of it; `what` tells it
 * from others with its name.
 */
export type Chosen = { id: string; name: string; what?: string | undefined };

/**
 * What is chosen stands in the form's draft: a hidden input says it, and each change is told to the form. `Continue`
 * calls `take` with what the draft held, or with what the form came with.
 */
export const useKept = (
  chosen: readonly Chosen[],
  given: readonly Chosen[],
  take: (chosen: readonly Chosen[]) => void,
) => {
  const input = useRef<HTMLInputElement>(null);
  const value = chosen.length > 0 ? JSON.stringify(chosen) : '';
  const told = useRef(value);
  useEffect(() => {
    const form = input.current?.form;
    const takeUp = ({ detail }: CustomEventInit<string>) =>
      take(detail ? (JSON.parse(detail) as Chosen[]) : given);
    form?.addEventListener('take-up', takeUp);
    return () => form?.removeEventListener('take-up', takeUp);
  }, []);
  useEffect(() => {
    if (value === told.current) return;
    told.current = value;
    input.current?.dispatchEvent(new Event('input', { bubbles: true }));
  }, [value]);
  return <input ref={input} type="hidden" data-kept value={value} />;
};

type Choosing = {
  /** What the form came with. */
  text: string;
  chosen?: Chosen | undefined;
  /** What the text says of a choice. */
  wordsOf(one: Chosen): string;
};

/**
 * One record that is chosen by its words. It is chosen while the text is its words: who types on has chosen nobody, and
 * is told so (`lost`), and who comes back to the words has chosen it again.
 */
export const useChoice = ({ text: given, chosen: before, wordsOf }: Choosing) => {
  const [text, setText] = useState(given);
  const [last, setLast] = useState(before);
  const [isOpen, setOpen] = useState(false);
  const chosen = last && wordsOf(last).trim() === text.trim() ? last : undefined;
  const take = (one: Chosen | undefined) => {
    setLast(one);
    if (one) setText(wordsOf(one));
    setOpen(false);
  };
  const kept = useKept(chosen ? [chosen] : [], [], ([taken]) => take(taken));
  const lost = last && !chosen && `${wordsOf(last)} is no longer chosen. `;
  return { text, setText, isOpen, setOpen, chosen, lost, choose: take, kept };
};

/** Whether a result says all words that were typed: a search that forgives typing mistakes finds others, too. */
export const saysAll = ({ name, sub = '' }: Found, text: string): boolean => {
  const said = wordsOf(`${name} ${sub}`);
  // Numbers are found however they are written, and no other ones.
  const typed = wordsOf(text).filter((word) => !/\d/.test(word));
  return typed.every((word) => said.some((one) => one.includes(word)));
};

/** What a combobox offers; with a path, it is a link. Enter does not take at once what is only similar. */
export type Offer = {
  key: string;
  words: ComponentChildren;
  path?: string;
  isSimilar?: boolean | undefined;
  choose(): void;
};

type ComboboxProps = {
  /** What the control has besides: its id, its name, a label, a fault. */
  input: {
    id: string;
    class?: string;
    name?: string;
    placeholder?: string;
    maxLength?: number;
    required?: boolean;
    autofocus?: boolean;
    list?: string | undefined;
    'aria-label'?: string;
    'aria-invalid'?: true | undefined;
    'aria-describedby'?: string | undefined;
  };
  text: string;
  type(text: string): void;
  /** What is offered for the text, in groups; a single group needs no name. */
  groups: readonly { name?: string; offers: readonly Offer[] }[];
  /** The name of the list. */
  label: string;
  /** Enter takes the first offer, or goes to it if it is only similar. Otherwise an arrow key chooses one before. */
  takesFirst: boolean;
  /**
   * What is offered was found for another text. Enter waits for what is found for this one, and takes the first of it,
   * also where the focus is in the next field by then.
   */
  isLooking?: boolean;
  /** What Enter does if there is nothing to take; true if it did something. */
  otherwise?(): boolean;
  /** The list is always open, as in the palette. Otherwise typing and Down open it. */
  isAlwaysOpen?: boolean;
  isOpen?: boolean;
  setOpen?(isOpen: boolean): void;
  /** What stands around the text. */
  frame?(input: VNode): VNode;
};

/**
 * A text with a list of what is found for it, by the combobox pattern of WAI-ARIA: the focus stays in
 * the text, arrow keys go through the list, Enter takes an offer, Escape closes the list. A press elsewhere closes it
 * when it is done: what stands below must not move before.
 */
export const Combobox = (props: ComboboxProps) => {
  const { input, text, type, groups, label, takesFirst, otherwise } = props;
  const {
    isLooking = false,
    isAlwaysOpen = false,
    setOpen = () => {},
    frame = (box: VNode) => box,
  } = props;
  const isOpen = isAlwaysOpen || (props.isOpen ?? false);
  const [moved, setMoved] = useState<number>();
  const [entered, setEntered] = useState<string>();
  const [taken, setTaken] = useState(0);
  const box = useRef<HTMLInputElement>(null);
  const shown = isOpen ? groups.filter(({ offers }) => offers.length > 0) : [];
  const offers = shown.flatMap((group) => group.offers);
  const isFirstTaken = takesFirst && !offers[0]?.isSimilar;
  const at = Math.min(moved ?? (isFirstTaken ? 0 : -1), offers.length - 1);
  const idOf = (offer: Offer) => `${input.id}-${offers.indexOf(offer)}`;
  const active = offers[at];
  useEffect(() => {
    if (moved !== undefined && active) {
      document.getElementById(idOf(active))?.scrollIntoView({ block: 'nearest' });
    }
  }, [moved]);

  const close = () => {
    setOpen(false);
    setMoved(undefined);
    setEntered(undefined);
  };
  const take = (offer: Offer) => {
    setMoved(undefined);
    offer.choose();
    box.current?.focus();
    setTaken(taken + 1);
  };
  // The next letter does not go on with the words of a choice: it replaces them.
  useLayoutEffect(() => {
    if (taken > 0) box.current?.select();
  }, [taken]);
  const enter = (): boolean => {
    if (!active && takesFirst && offers.length > 0) {
      setMoved(0);
      return true;
    }
    if (!active) return otherwise?.() ?? false;
    take(active);
    return true;
  };
  useEffect(() => {
    if (entered !== text || isLooking) return;
    setEntered(undefined);
    if (document.activeElement === box.current) return void enter();
    active?.choose();
    close();
  }, [entered, isLooking]);
  /** Whether the key did something here. */
  const press = (key: string): boolean => {
    if (key === 'ArrowDown' || key === 'ArrowUp') {
      setOpen(true);
      const last = offers.length - 1;
      if (key === 'ArrowDown' || last < 0) setMoved(at < last ? at + 1 : 0);
      else setMoved(at > 0 ? at - 1 : last);
      return true;
    }
    if (key === 'Escape') {
      close();
      return !isAlwaysOpen && offers.length > 0;
    }
    if (key !== 'Enter') return false;
    if (!isLooking || !takesFirst || moved !== undefined) return enter();
    setEntered(text);
    return true;
  };

  const optionOf = (offer: Offer) => (
    <Option
      key={offer.key}
      offer={offer}
      id={idOf(offer)}
      isActive={offer === active}
      take={take}
    />
  );
  return (
    <>
      {frame(
        <input
          autocomplete="off"
          {...{ ...input, list: input.list }}
          ref={box}
          role="combobox"
          aria-expanded={offers.length > 0}
          aria-autocomplete="list"
          aria-controls={`${input.id}-list`}
          aria-activedescendant={active && idOf(active)}
          value={text}
          onInput={({ currentTarget }) => {
            setOpen(true);
            setMoved(undefined);
            setEntered(undefined);
            type(currentTarget.value);
          }}
          onKeyDown={(event) => {
            if (event.isComposing || !press(event.key)) return;
            event.preventDefault();
            event.stopPropagation();
          }}
          onBlur={() => (isAlwaysOpen || entered === undefined) && afterPress(close)}
        />,
      )}
      <div
        class="found"
        id={`${input.id}-list`}
        role="listbox"
        aria-label={label}
        hidden={offers.length === 0}
      >
        {shown.map(({ name, offers }, at) =>
          name ? (
            <div role="group" aria-label={name} key={`${at} ${name}`}>
              <div role="presentation">{name}</div>
              {offers.map(optionOf)}
            </div>
          ) : (
            offers.map(optionOf)
          ),
        )}
      </div>
    </>
  );
};

type OptionProps = { offer: Offer; id: string; isActive: boolean; take(offer: Offer): void };

/** The text keeps the focus while an offer is pressed: so the list does not close before. */
const Option = ({ offer, id, isActive, take }: OptionProps) => {
  const { path, words } = offer;
  const of = {
    id,
    role: 'option' as const,
    'aria-selected': isActive,
    tabIndex: -1,
    onMouseDown: (event: MouseEvent) => event.preventDefault(),
  };
  return path ? (
    <a {...of} href={path}>
      {words}
    </a>
  ) : (
    <button {...of} type="button" onClick={() => take(offer)}>
      {words}
    </button>
  );
};
