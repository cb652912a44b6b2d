import { useEffect, useState } from 'preact/hooks';
import type { Found } from './search/found.ts';

/** A record that was found. */
export type FoundRecord = Found & { id: string };

/**
 * Finds records of a kind while somebody types, as the search page does. `isAsked` says that the
 * answer for this text has come.
 */
export const useFound = (kind: 'contacts' | 'matters', text: string) => {
  const [found, setFound] = useState<FoundRecord[]>([]);
  const [isAsked, setAsked] = useState(false);
  useEffect(() => {
    const q = text.trim();
    setAsked(false);
    if (q.length < 2) return setFound([]);
    let isPast = false;
    const timer = setTimeout(async () => {
      const { askFor } = await import('./browser/ask.ts');
      const answer = await askFor<{ found: Found[] }>(
        `/search?kind=${kind}&q=${encodeURIComponent(q)}`,
      );
      if (isPast) return;
      setFound((answer?.found ?? []).map((one) => ({ ...one, id: one.path.split('/')[2] ?? '' })));
      setAsked(true);
    }, 150);
    return () => {
      isPast = true;
      clearTimeout(timer);
    };
  }, [text, kind]);
  return { found, isAsked };
};
