/** @jsxImportSource preact */
import { useEffect, useState } from 'preact/hooks';
import { Suggestions, useFound } from './finding.tsx';

type Choice = { number: string; title: string };

type MatterPickerProps = {
  /** What the server knows of its control: id, fault, hint. */
  id: string;
  name: string;
  value: string;
  isInvalid: boolean;
  describedBy: string | undefined;
  /** The member's own matters. */
  own: readonly Choice[];
};

const maxOffered = 6;

/** Finds a matter by its title, its number or a client, and takes its number. */
export const MatterPicker = (props: MatterPickerProps) => {
  const { id, name, own, isInvalid, describedBy } = props;
  const [isAlive, setAlive] = useState(false);
  const [text, setText] = useState(props.value);
  const [chosen, setChosen] = useState<Choice>();
  const [isOpen, setOpen] = useState(false);
  const { found, isAsked } = useFound(isOpen ? text : '', 'matters');
  useEffect(() => setAlive(true), []);
  const isShort = text.trim().length < 2;
  const offered: Choice[] = isShort
    ? [...own]
    : found.map(({ number = '', name: title }) => ({ number, title }));
  const isMissing = isAsked && !isShort && found.length === 0;
  const shown = isOpen ? offered.slice(0, maxOffered) : [];
  const choose = (one: Choice) => {
    setText(one.number);
    setChosen(one);
    setOpen(false);
    document.getElementById(id)?.focus();
  };
  return (
    <div
      class="finder"
      onFocusOut={({ relatedTarget, currentTarget }) => {
        if (!currentTarget.contains(relatedTarget as Node | null)) setOpen(false);
      }}
    >
      <input
        class="input"
        id={id}
        name={name}
        value={text}
        required
        autocomplete="off"
        list={isAlive ? undefined : 'matter-choices'}
        aria-invalid={isInvalid || undefined}
        aria-describedby={describedBy}
        onInput={({ currentTarget }) => {
          setText(currentTarget.value);
          setChosen(undefined);
          setOpen(true);
        }}
        onKeyDown={(event) => {
          if (event.key === 'ArrowDown' && !isOpen) setOpen(true);
          if (event.key === 'Escape' && isOpen) {
            event.stopPropagation();
            setOpen(false);
          }
          const nearest = shown[0];
          if (event.key !== 'Enter' || !isOpen || isShort || !nearest) return;
          event.preventDefault();
          choose(nearest);
        }}
      />
      {!isAlive && <OwnMatters of={own} />}
      <Suggestions
        label="Suggestions"
        rows={shown.map((one) => ({
          key: one.number,
          words: <Offered {...one} />,
          choose: () => choose(one),
        }))}
      />
      <p class="muted" role="status">
        {chosen?.title}
        {isOpen && isMissing && 'No matter is found by these words.'}
      </p>
    </div>
  );
};

const Offered = ({ number, title }: Choice) => (
  <>
    <span class="hide">Choose </span>
    <span>{number}</span> {title}
  </>
);

/** The member's own matters, for a browser without a script. */
const OwnMatters = ({ of }: { of: readonly Choice[] }) => (
  <datalist id="matter-choices">
    {of.map(({ number, title }) => (
      <option value={number}>{title}</option>
    ))}
  </datalist>
);
