/** @jsxImportSource preact */
import { useEffect, useRef, useState } from 'preact/hooks';

export type Client = { id: string; name: string };

/** Further clients of a matter: found by name, chosen, taken off again. */
export const ClientPicker = ({ chosen: given, most }: { chosen: Client[]; most: number }) => {
  const [chosen, setChosen] = useState(given);
  const [text, setText] = useState('');
  const [found, setFound] = useState<Client[]>([]);
  const box = useRef<HTMLInputElement>(null);
  useEffect(() => {
    const q = text.trim();
    if (q.length < 2) return setFound([]);
    let isPast = false;
    const timer = setTimeout(async () => {
      const { askFor } = await import('../browser/ask.ts');
      const answer = await askFor<{ found: { path: string; name: string }[] }>(
        `/search?q=${encodeURIComponent(q)}`,
      );
      const contacts = (answer?.found ?? []).flatMap(({ path, name }) => {
        const id = /^\/contacts\/(.+)$/.exec(path)?.[1];
        return id ? [{ id, name }] : [];
      });
      if (!isPast) setFound(contacts);
    }, 150);
    return () => {
      isPast = true;
      clearTimeout(timer);
    };
  }, [text]);
  const take = (client: Client) => {
    if (!chosen.some(({ id }) => id === client.id)) setChosen([...chosen, client]);
    setText('');
    setFound([]);
    box.current?.focus();
  };
  return (
    <div class="clients">
      {chosen.length > 0 && (
        <ul class="picked-clients">
          {chosen.map((client) => (
            <li key={client.id}>
              {client.name}
              <input type="hidden" name="clientContactIds" value={client.id} />
              <button
                class="button quiet small"
                type="button"
                aria-label={`Take ${client.name} off`}
                onClick={() => setChosen(chosen.filter(({ id }) => id !== client.id))}
              >
                Remove
              </button>
            </li>
          ))}
        </ul>
      )}
      {chosen.length < most && (
        <div class="field only-scripted">
          <label for="further-client">Further clients</label>
          <input
            ref={box}
            class="input"
            id="further-client"
            value={text}
            autocomplete="off"
            placeholder="A contact’s name"
            onInput={(event) => setText(event.currentTarget.value)}
            onKeyDown={(event) => {
              const first = found[0];
              if (event.key !== 'Enter' || text.trim() === '') return;
              event.preventDefault();
              if (first) take(first);
            }}
          />
          {found.length > 0 && (
            <ul class="found-clients" aria-label="Contacts found">
              {found.map((client) => (
                <li key={client.id}>
                  <button class="button quiet" type="button" onClick={() => take(client)}>
                    Add {client.name}
                  </button>
                </li>
              ))}
            </ul>
          )}
        </div>
      )}
    </div>
  );
};
