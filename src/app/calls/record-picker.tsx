/** @jsxImportSource preact */
import { Combobox, onlySimilar, saysAll, useChoice, useFound } from '../combobox.tsx';
import type { Found } from '../search/found.ts';
import { createWords, leadOfCall } from './caller.ts';

type RecordPickerProps = {
  /** What the server knows of its control: id, fault, hint. */
  id: string;
  name: string;
  value: string;
  isInvalid: boolean;
  describedBy: string | undefined;
  /** The hidden field that has the address of the chosen record: its name, and what was sent before and what that is. */
  chosen: { name: string; value: string; what?: string | undefined };
  /** What of the two the member can choose, `person or matter`. */
  kinds: string;
  /** Whether a lead can be made of somebody whom nobody knows. */
  creates: boolean;
};

const maxOffered = 8;

/** `Lead L-0041`: the first of what is said of it. */
const kindIn = ({ sub = '' }: Found) => sub.split(' · ')[0] ?? '';

/** Sends the form to where a lead is made of it. The button that does so without a script is hidden. */
const createLead = ({ currentTarget: { form } }: { currentTarget: HTMLButtonElement }) =>
  form?.requestSubmit(form.querySelector<HTMLElement>(`[formaction="${leadOfCall}"]`));

/** Finds a lead, a matter or a contact as somebody types, and takes its address. */
export const RecordPicker = (props: RecordPickerProps) => {
  const { id, name, isInvalid, describedBy, kinds, creates } = props;
  const { value: before, what } = props.chosen;
  const choice = useChoice({
    text: props.value,
    chosen: before ? { id: before, name: props.value.trim(), what } : undefined,
    wordsOf: ({ name }) => name,
  });
  const { text, setText, isOpen, setOpen, chosen, lost, choose, kept } = choice;
  const { found, isAsked, isLooking } = useFound(chosen ? '' : text, 'for=writing');
  const isSimilar = (one: Found) => !saysAll(one, text);
  const isUnknown = isAsked && found.every(isSimilar);
  // The fault says it already.
  const isRefused = isInvalid && text === props.value;
  return (
    <div class="finder">
      {kept}
      <input type="hidden" name={props.chosen.name} value={chosen?.id ?? ''} />
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
        type={setText}
        isOpen={isOpen}
        setOpen={setOpen}
        label="People and matters found"
        takesFirst
        isLooking={isLooking}
        groups={[
          {
            offers: found.slice(0, maxOffered).map((one) => ({
              key: one.path,
              words: (
                <span class="grow">
                  {one.name} <span class="sub">{one.sub}</span>
                </span>
              ),
              isSimilar: isSimilar(one),
              choose: () => choose({ id: one.path, name: one.name, what: kindIn(one) }),
            })),
          },
        ]}
      />
      <p class="muted" role="status">
        {chosen?.what}
        {lost}
        {isUnknown &&
          !isRefused &&
          (found.length > 0 ? onlySimilar : `No ${kinds} matches these words.`)}
      </p>
      {creates && isUnknown && (
        <p class="row">
          <button class="button names" type="button" onClick={createLead}>
            {createWords(text)}
          </button>
        </p>
      )}
    </div>
  );
};
