import { postOnce } from './ask.ts';

/**
 * Sends fields as the browser would; undefined if no answer comes. If the session has ended, the member
 * signs in over the page, and then the fields are sent.
 */
export const post = async (action: string, data: FormData): Promise<Response | undefined> => {
  const answer = await postOnce(action, data);
  if (answer?.status !== 401 || !document.body.dataset.member) return answer;
  const { signInAgain } = await import('./sign-in-again.ts');
  return (await signInAgain()) ? postOnce(action, data) : answer;
};
