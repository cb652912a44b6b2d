/** @jsxImportSource preact */
import { useEffect, useState } from 'preact/hooks';
import { Combobox, onlySimilar, useChoice, useFound } from './combobox.tsx';
import type { Found } from './search/found.ts';

type Choice = { number: string; title: string };
type Offered = Choice & Pick<Found, 'sub' | 'isSimilar'>;

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
  const choice = useChoice({ text: props.value, wordsOf: ({ id: number }) => number });
  const { text, setText, isOpen, setOpen, chosen, lost, choose, kept } = choice;
  const { found, isAsked, isLooking } = useFound(isOpen ? text : '', 'kind=matters');
  useEffect(() => setAlive(true), []);
  const isShort = text.trim().length < 2;
  const offered: Offered[] = isShort
    ? [...own]
    : found.map(({ number = '', name: title, ...one }) => ({ ...one, number, title }));
  const isOnlySimilar =
    isAsked && offered.length > 0 && offered.every(({ isSimilar }) => isSimilar);
  const isMissing = isAsked && !isShort && found.length === 0;
  return (
    <div class="finder">
      {kept}
      <Combobox
        input={{
          id,
          name,
          class: 'input',
          required: true,
          list: isAlive ? undefined : 'matter-choices',
          'aria-invalid': isInvalid || undefined,
          'aria-describedby': describedBy,
        }}
        text={text}
        type={setText}
        isOpen={isOpen}
        setOpen={setOpen}
        label="Matters found"
        takesFirst={!isShort}
        isLooking={isLooking}
        groups={[
          {
            offers: offered.slice(0, maxOffered).map((one) => ({
              key: one.number,
              words: (
                <span class="grow">
                  {one.number} {one.title} {one.sub && <span class="sub">{one.sub}</span>}
                </span>
              ),
              isSimilar: one.isSimilar,
              choose: () => choose({ id: one.number, name: one.title }),
            })),
          },
        ]}
      />
      {!isAlive && <OwnMatters of={own} />}
      <p class="muted" role="status">
        {chosen?.name}
        {lost}
        {isOpen && isMissing && 'No matter matches these words.'}
        {isOpen && isOnlySimilar && onlySimilar}
      </p>
    </div>
  );
};

/** The member's own matters, for a browser without a script. */
const OwnMatters = ({ of }: { of: readonly Choice[] }) => (
  <datalist id="matter-choices">
    {of.map(({ number, title }) => (
      <option value={number}>{title}</option>
    ))}
  </datalist>
);
