/** @jsxImportSource preact */
import type { ComponentChildren } from 'preact';
import { useEffect, useState } from 'preact/hooks';
import type { Found } from './search/found.ts';

type FoundRecord = Found & { id: string };

/**
 * Finds records while somebody types, as the search page does; only those of a `kind` if it is
 * given. `isAsked` says that the answer for this text has come.
 */
export const useFound = (text: string, kind?: 'contacts' | 'matters') => {
  const [found, setFound] = useState<FoundRecord[]>([]);
  const [isAsked, setAsked] = useState(false);
  useEffect(() => {
    const q = text.trim();
    setAsked(false);
    if (q.length < 2) return setFound([]);
    let isPast = false;
    const timer = setTimeout(async () => {
      const { askFor } = await import('./browser/ask.ts');
      const query = new URLSearchParams({ ...(kind && { kind }), q });
      const answer = await askFor<{ found: Found[] }>(`/search?${query}`);
      if (isPast) return;
      setFound((answer?.found ?? []).map((one) => ({ ...one, id: one.path.split('/')[2] ?? '' })));
      setAsked(true);
    }, 120);
    return () => {
      isPast = true;
      clearTimeout(timer);
    };
  }, [text, kind]);
  return { found, isAsked };
};

type Suggestion = { key: string; words: ComponentChildren; choose(): void };

export const Suggestions = ({ label, rows }: { label: string; rows: Suggestion[] }) =>
  rows.length > 0 && (
    <ul class="found-clients" aria-label={label}>
      {rows.map(({ key, words, choose }) => (
        <li key={key}>
          <button class="button quiet" type="button" onClick={choose}>
            {words}
          </button>
        </li>
      ))}
    </ul>
  );
