/** @jsxImportSource preact */
import { useState } from 'preact/hooks';
import { Combobox, useFound } from '../combobox.tsx';
import { maxSearched } from '../search/found.ts';

type MergeFinderProps = {
  /** The contact that stays. */
  id: string;
  /** What was searched for. */
  words: string;
  /** What is said if that found nobody, until something else is typed. */
  none: string | false;
};

const boxId = 'other-contact';

/** Finds the other contact of a merge while somebody types. Without a script, its form searches. */
export const MergeFinder = ({ id, words, none }: MergeFinderProps) => {
  const [text, setText] = useState(words);
  const [isOpen, setOpen] = useState(false);
  const { found, isLooking } = useFound(isOpen ? text : '', 'kind=contacts');
  return (
    <div class="field finder">
      <label for={boxId}>Search for the other contact</label>
      <Combobox
        input={{
          id: boxId,
          name: 'q',
          class: 'input',
          placeholder: 'Name, email, phone',
          maxLength: maxSearched,
          autofocus: true,
        }}
        text={text}
        type={setText}
        isOpen={isOpen}
        setOpen={setOpen}
        label="Contacts found"
        takesFirst
        isLooking={isLooking}
        groups={[
          {
            offers: found
              .filter((other) => other.id !== id)
              .map((other) => {
                const path = `/contacts/${id}/merge?with=${other.id}`;
                return {
                  key: other.id,
                  path,
                  words: other.name,
                  isSimilar: other.isSimilar,
                  choose: () => location.assign(path),
                };
              }),
          },
        ]}
      />
      {none && text === words && <p class="muted">{none}</p>}
    </div>
  );
};
