/** @jsxImportSource preact */
import { useState } from 'preact/hooks';
import { Combobox, useFound, useKept } from '../combobox.tsx';

type RecordPickerProps = {
  /** What the server knows of its control: id, fault, hint. */
  id: string;
  name: string;
  value: string;
  isInvalid: boolean;
  describedBy: string | undefined;
  /** The hidden field that has the address of the chosen record: its name, and what was sent before. */
  chosen: { name: string; value: string };
  /** The addresses of the records that can be chosen begin so. */
  among: readonly string[];
};

const maxOffered = 8;

/** Finds a lead, a matter or a contact as somebody types, and takes its address. */
export const RecordPicker = (props: RecordPickerProps) => {
  const { id, name, isInvalid, describedBy, among } = props;
  const [text, setText] = useState(props.value);
  const [chosen, setChosen] = useState(props.chosen.value);
  const [isOpen, setOpen] = useState(false);
  const { found, isAsked, isLooking } = useFound(isOpen ? text : '');
  const kept = useKept(chosen ? [{ id: chosen, name: text }] : [], [], ([taken]) => {
    setChosen(taken?.id ?? '');
    if (taken) setText(taken.name);
    setOpen(false);
  });
  const offered = found.filter(({ path }) => among.some((place) => path.startsWith(`${place}/`)));
  return (
    <div class="finder">
      {kept}
      <input type="hidden" name={props.chosen.name} value={chosen} />
      <Combobox
        input={{
          id,
          name,
          class: 'input',
          required: true,
          autofocus: true,
          'aria-invalid': isInvalid || undefined,
          'aria-describedby': describedBy,
        }}
        text={text}
        type={(typed) => {
          setText(typed);
          setChosen('');
        }}
        isOpen={isOpen}
        setOpen={setOpen}
        label="People and matters found"
        takesFirst
        isLooking={isLooking}
        groups={[
          {
            offers: offered.slice(0, maxOffered).map((one) => ({
              key: one.path,
              words: (
                <span class="grow">
                  {one.name} <span class="sub">{one.sub}</span>
                </span>
              ),
              choose: () => {
                setText(one.name);
                setChosen(one.path);
                setOpen(false);
              },
            })),
          },
        ]}
      />
      <p class="muted" role="status">
        {isOpen && isAsked && offered.length === 0 && 'No person or matter matches these words.'}
      </p>
    </div>
  );
};
