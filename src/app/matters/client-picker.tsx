/** @jsxImportSource preact */
import { useEffect, useState } from 'preact/hooks';
import { type Chosen as Client, Combobox, onlySimilar, useFound, useKept } from '../combobox.tsx';

export type { Client };

type ClientPickerProps = {
  chosen: Client[];
  max: number;
  label: string;
  /** Who is primary and who gets the bill, if the form asks it. */
  parts?: { primary: string; billRecipient: string };
  /** The id of the folded fields for a new contact, if the form can make one. */
  news?: string;
  /** Focused when the page opens. */
  first?: boolean;
};

/** Chooses a matter's clients by name, the primary one, and the one who gets the bill. */
export const ClientPicker = (props: ClientPickerProps) => {
  const { chosen: given, max, label, parts, news, first = false } = props;
  const [chosen, setChosen] = useState(given);
  const kept = useKept(chosen, given, (taken) => setChosen([...taken]));
  const take = (client: Client) => {
    if (!chosen.some(({ id }) => id === client.id)) setChosen([...chosen, client]);
  };
  return (
    <div class="clients">
      {kept}
      {chosen.length > 0 && (
        <ul class="picked-clients">
          {chosen.map((client, at) => (
            <li key={client.id}>
              <span class="grow">{client.name}</span>
              <input type="hidden" name="clientContactIds" value={client.id} />
              {parts && (
                <>
                  <Part name="primary" label="Primary" of={client} held={parts.primary} at={at} />
                  <Part
                    name="billRecipient"
                    label="Gets the bill"
                    of={client}
                    held={parts.billRecipient}
                    at={at}
                  />
                </>
              )}
              <button
                class="button quiet small only-scripted"
                type="button"
                aria-label={`Remove ${client.name}`}
                onClick={() => setChosen(chosen.filter(({ id }) => id !== client.id))}
              >
                Remove
              </button>
            </li>
          ))}
        </ul>
      )}
      {chosen.length < max && <Finder label={label} take={take} news={news} first={first} />}
    </div>
  );
};

type PartProps = { name: string; label: string; of: Client; held: string; at: number };

/** One client has the part. By default it is the first one. */
const Part = ({ name, label, of: { id, name: who }, held, at }: PartProps) => (
  <label class="part-of">
    <input
      type="radio"
      name={name}
      value={id}
      defaultChecked={held === '' ? at === 0 : id === held}
      aria-label={`${label}: ${who}`}
    />
    {label}
  </label>
);

type FinderProps = {
  label: string;
  take(client: Client): void;
  news: string | undefined;
  first: boolean;
};

/** Opens the fields of a new contact, with the name that was typed. */
const makeNew = (id: string, text: string) => {
  const fields = document.getElementById(id);
  if (!(fields instanceof HTMLDetailsElement)) return;
  fields.open = true;
  const input = (name: string) => fields.querySelector<HTMLInputElement>(`[name="${name}"]`);
  const words = text.trim().split(/\s+/);
  const [firstName, lastName] = [input('firstName'), input('lastName')];
  if (lastName) lastName.value = words.pop() ?? '';
  if (firstName) firstName.value = words.join(' ');
  (firstName?.value ? lastName : firstName)?.focus();
  fields.dispatchEvent(new Event('input', { bubbles: true }));
};

/** A box that finds contacts while you type. */
const Finder = ({ label, take, news, first }: FinderProps) => {
  const [text, setText] = useState('');
  const [isOpen, setOpen] = useState(false);
  const { found, isAsked, isLooking } = useFound(text, 'kind=contacts');
  useEffect(() => {
    if (first && document.activeElement === document.body) document.getElementById(id)?.focus();
  }, []);
  const isText = text.trim() !== '';
  const makeNamed = (fields: string) => {
    makeNew(fields, text);
    setText('');
  };
  return (
    <div class="field only-scripted">
      <label for={id}>{label}</label>
      <Combobox
        input={{ id, class: 'input', placeholder: 'A contact’s name' }}
        text={text}
        type={setText}
        isOpen={isOpen}
        setOpen={setOpen}
        label="Contacts found"
        takesFirst
        isLooking={isLooking}
        groups={[
          {
            offers: found.map((client) => ({
              key: client.id,
              words: client.name,
              isSimilar: client.isSimilar,
              choose: () => {
                take(client);
                setText('');
              },
            })),
          },
        ]}
        // The form is not sent by what is typed here.
        otherwise={() => {
          if (isText && news && isAsked) makeNamed(news);
          return isText;
        }}
      />
      {news && isAsked && text.trim().length >= 2 && (
        <p class="row">
          {found.every(({ isSimilar }) => isSimilar) && (
            <span class="muted">
              {found.length === 0 ? 'No contact has this name.' : onlySimilar}
            </span>
          )}
          <button class="button quiet" type="button" onClick={() => makeNamed(news)}>
            New contact {text.trim()}
          </button>
        </p>
      )}
    </div>
  );
};

const id = 'further-client';
