/** @jsxImportSource preact */
import { useEffect, useRef, useState } from 'preact/hooks';

/** A person whom the firm may already know, as the page shows them. */
export type Known = {
  id: string;
  name: string;
  /** The person's page, for visitors who may see contacts. */
  path: string | null;
  why: string;
  records: { path: string; words: string }[];
};

type KnownListProps = {
  known: Known[];
  /** Where it is asked for. */
  ask: string;
  /** Whether one of them can be chosen as the client. */
  chooses?: boolean;
};

/**
 * People whom the firm may already know. The list is asked for while a name, an email or a phone
 * number is typed. Without a script it comes when the form is sent.
 */
export const KnownList = ({ known, ask: address, chooses = false }: KnownListProps) => {
  const place = useRef<HTMLDivElement>(null);
  const [people, setPeople] = useState(known);
  useEffect(() => {
    const form = place.current?.closest('form');
    if (!form) return;
    let timer: ReturnType<typeof setTimeout> | undefined;
    let asked = '';
    const ask = async () => {
      const { postOnce } = await import('../browser/ask.ts');
      const data = new FormData(form);
      const wanted = ['firstName', 'lastName', 'companyName', 'email', 'phone']
        .map((name) => String(data.get(name) ?? ''))
        .join('\n');
      if (wanted === asked) return;
      asked = wanted;
      const answer = await postOnce(address, data);
      if (answer?.ok && wanted === asked) setPeople((await answer.json()) as Known[]);
    };
    const later = () => {
      clearTimeout(timer);
      timer = setTimeout(ask, 250);
    };
    form.addEventListener('input', later);
    later();
    return () => form.removeEventListener('input', later);
  }, []);
  return (
    <div ref={place} aria-live="polite">
      {people.length > 0 && (
        <section class="banner warn" aria-labelledby="known">
          <div>
            <h2 id="known">We may know them</h2>
            <ul class="known">
              {people.map(({ id, name, path, why, records }) => (
                <li key={id}>
                  {path ? <a href={path}>{name}</a> : <b>{name}</b>}: {why}.
                  {records.map((record) => (
                    <a key={record.path} class="known-record" href={record.path}>
                      {record.words}
                    </a>
                  ))}
                  {chooses && (
                    <label class="part-of">
                      <input type="checkbox" name="clientContactIds" value={id} />
                      Yes, {name} is the client
                    </label>
                  )}
                </li>
              ))}
            </ul>
            <input type="hidden" name="known" value={people.map(({ id }) => id).join(' ')} />
          </div>
        </section>
      )}
    </div>
  );
};
