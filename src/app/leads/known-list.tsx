/** @jsxImportSource preact */
import { useEffect, useRef, useState } from 'preact/hooks';
import { withOneStop } from '../sentence.ts';

/** A person whom the firm may already know, as the page shows them. */
export type Known = {
  id: string;
  name: string;
  /** The person's page, for visitors who may see contacts. */
  path: string | null;
  /** `same phone`, `same name`. */
  why: string[];
  records: { path: string; words: string }[];
  /** What a form gets of them, by its fields' names, if the visitor may see contacts. */
  fills: Record<string, string> | null;
};

type KnownListProps = {
  known: Known[];
  /** Where it is asked for. */
  ask: string;
  /** Whether one of them can be chosen as the client. */
  chooses?: boolean;
  /** Whether a lead can be another one of the same person; `chosen` is the person who was chosen. */
  sameCase?: { chosen: Known | null; whyApart: string };
};

const asked = ['firstName', 'lastName', 'companyName', 'email', 'phone', 'emails', 'phones'];

/**
 * People whom the firm may already know. The list is asked for while a name, an email or a phone
 * number is typed. Without a script it comes when the form is sent.
 */
export const KnownList = (props: KnownListProps) => {
  const { known, ask: address, chooses = false, sameCase } = props;
  const place = useRef<HTMLDivElement>(null);
  const [found, setFound] = useState(known);
  const [chosen, setChosen] = useState(sameCase?.chosen ?? null);
  // Without a script there is a box to tick, and nothing is filled in.
  const [isAlive, setAlive] = useState(false);
  useEffect(() => {
    setAlive(true);
    const form = place.current?.closest('form');
    if (!form) return;
    let timer: ReturnType<typeof setTimeout> | undefined;
    let last = '';
    const ask = async () => {
      const { postOnce } = await import('../browser/ask.ts');
      const data = new FormData(form);
      const wanted = asked.map((name) => String(data.get(name) ?? '')).join('\n');
      if (wanted === last) return;
      last = wanted;
      const answer = await postOnce(address, data);
      if (answer?.ok && wanted === last) setFound((await answer.json()) as Known[]);
    };
    const later = () => {
      clearTimeout(timer);
      timer = setTimeout(ask, 250);
    };
    form.addEventListener('input', later);
    later();
    return () => form.removeEventListener('input', later);
  }, []);
  // The button gives way to a box, and the box to the button: the focus goes along.
  const pressed = useRef<string | undefined>(undefined);
  useEffect(() => {
    if (pressed.current) document.getElementById(pressed.current)?.focus();
    pressed.current = undefined;
  }, [chosen]);
  const choose = (person: Known | null, of: Known) => {
    pressed.current = sameId(of);
    setChosen(person);
  };
  const fill = (person: Known) => {
    const form = place.current?.closest('form');
    for (const [name, text] of Object.entries(person.fills ?? {})) {
      const field = form?.elements.namedItem(name);
      if (field instanceof HTMLInputElement && !isNew(person, name, field.value))
        field.value = text;
    }
    choose(person, person);
    form?.dispatchEvent(new Event('input', { bubbles: true }));
  };
  const isFound = chosen && found.some(({ id }) => id === chosen.id);
  const people = chosen && !isFound ? [chosen, ...found] : found;
  const isSettled = chosen !== null && people.length === 1;
  return (
    <div ref={place} aria-live="polite">
      {people.length > 0 && (
        <section class="known" aria-labelledby="known">
          <h2 id="known">The firm {isSettled ? 'knows' : 'may know'} this person</h2>
          <ul>
            {people.map((person) => (
              <li key={person.id}>
                {/* Of who was chosen, the form has the words: that they are the same is no reason any more. */}
                <Person {...person} why={chosen?.id === person.id ? [] : person.why} />
                {chooses && (
                  <label class="part-of">
                    <input type="checkbox" name="clientContactIds" value={person.id} />
                    Yes, {person.name} is the client
                  </label>
                )}
                {sameCase && person.fills && (
                  <SameCase
                    person={person}
                    whyApart={sameCase.whyApart}
                    isChosen={chosen?.id === person.id}
                    isAlive={isAlive}
                    choose={() => fill(person)}
                    drop={() => choose(null, person)}
                  />
                )}
              </li>
            ))}
          </ul>
          <input type="hidden" name="known" value={people.map(({ id }) => id).join(' ')} />
        </section>
      )}
    </div>
  );
};

/** Another number or address than the firm knows stays: they may call from it. */
const isNew = ({ why }: Known, name: string, typed: string) =>
  (name === 'phone' || name === 'email') && typed.trim() !== '' && !why.includes(`same ${name}`);

const Person = (person: Known) => (
  <div class="grow">
    {person.path ? (
      <a class="name" id={nameId(person)} href={person.path}>
        {person.name}
      </a>
    ) : (
      <b id={nameId(person)}>{person.name}</b>
    )}
    {person.why.map((one) => (
      <span key={one}>
        <span class="hide">, </span>
        <span class="tag">{one}</span>
      </span>
    ))}
    {person.records.map((record) => (
      <a key={record.path} class="known-record" href={record.path}>
        {record.words}
      </a>
    ))}
  </div>
);

type SameCaseProps = {
  person: Known;
  whyApart: string;
  isChosen: boolean;
  isAlive: boolean;
  choose(): void;
  drop(): void;
};

/** Says that the lead is a new case of this person. A button that sends would be the form's own. */
const SameCase = ({ person, whyApart, isChosen, isAlive, choose, drop }: SameCaseProps) =>
  isAlive && !isChosen ? (
    <button
      class="button"
      type="button"
      id={sameId(person)}
      aria-describedby={nameId(person)}
      onClick={choose}
    >
      {sameCaseWords}
    </button>
  ) : (
    <>
      <label class="part-of">
        <input
          type="checkbox"
          id={sameId(person)}
          name="same"
          value={person.id}
          checked={isChosen}
          onChange={({ currentTarget }) => !currentTarget.checked && drop()}
          aria-describedby={nameId(person)}
        />
        {sameCaseWords}
      </label>
      {isChosen && (
        <p class="muted what-comes">
          {whyApart || `The lead will be ${person.name}’s.`}
          {!whyApart && (
            <span class="if-private">
              {' '}
              {withOneStop(
                `A private lead has a contact of its own. Otherwise everyone who reads contacts would see ${person.name}.`,
              )}
            </span>
          )}
        </p>
      )}
    </>
  );

const sameCaseWords = 'Same person, new case';

const sameId = ({ id }: Known) => `same-${id}`;
const nameId = ({ id }: Known) => `known-${id}`;
