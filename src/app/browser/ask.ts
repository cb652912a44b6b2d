import { asMember } from './page.ts';

/** Fetches a page of the application as JSON; undefined if no answer comes. */
export const askFor = async <Answer>(path: string): Promise<Answer | undefined> => {
  const headers = { accept: 'application/json', 'x-sent-by': 'island', ...asMember() };
  const answer = await fetch(path, { headers }).catch(() => undefined);
  return answer?.ok ? ((await answer.json()) as Answer) : undefined;
};
