import { asMember } from './page.ts';

/** Fetches a page of the application as JSON; undefined if no answer comes. */
export const askFor = async <Answer>(path: string): Promise<Answer | undefined> => {
  const headers = { accept: 'application/json', 'x-sent-by': 'island', ...asMember() };
  const answer = await fetch(path, { headers }).catch(() => undefined);
  return answer?.ok ? ((await answer.json()) as Answer) : undefined;
};

/**
 * Signs a form with a passkey if the form asks for it. Returns why that failed; nothing if the form
 * may be sent.
 */
export const whyNotSigned = async (form: HTMLFormElement) => {
  if (form.dataset.passkey === undefined) return undefined;
  const { signForm } = await import('./passkey.ts');
  return signForm(form);
};

/** Sends fields once, without trying again. */
export const postOnce = (action: string, data: FormData): Promise<Response | undefined> => {
  const body = new URLSearchParams();
  for (const [name, value] of data) if (typeof value === 'string') body.append(name, value);
  const headers = { 'x-sent-by': 'page', accept: 'text/html', ...asMember() };
  return fetch(action, { method: 'POST', body, headers }).catch(() => undefined);
};

/** Whether the page is shown again, with what is wrong in its form, or that it came too early. */
export const isRefused = ({ status }: Response) => status === 422 || status === 429;
