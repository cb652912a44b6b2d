import { Refusal } from '../base/refusal.ts';

/**
 * Checks that a page of the application sent the form, so that no other site can act for the
 * visitor. Browsers say so in Sec-Fetch-Site on a secure connection, and in Origin. If there is a
 * PUBLIC_URL, the page must have been opened there. Throws `Refusal` forbidden, also if both are
 * missing: every browser sends one of them with a form.
 */
export const mustBeOurs = (request: Request, publicUrl: string | undefined) => {
  const site = request.headers.get('sec-fetch-site');
  const isOurs = publicUrl
    ? (site ?? 'same-origin') === 'same-origin' && comesFrom(request, publicUrl, site !== null)
    : site !== null
      ? site === 'same-origin'
      : (URL.parse(originIn(request) ?? '')?.host || undefined) === request.headers.get('host');
  if (isOurs) return;
  const todo = publicUrl
    ? `Open the application at ${publicUrl} and send the form again.`
    : 'Open the page at this address and send the form again.';
  throw new Refusal(
    'forbidden',
    `This form was sent from another site or address. Nothing was changed. ${todo}`,
  );
};

/** Whether the page is at this address. A browser that hides its Origin says where it sends to. */
const comesFrom = (request: Request, publicUrl: string, saysSite: boolean) => {
  const origin = originIn(request);
  if (origin !== undefined) return origin === publicUrl;
  return saysSite && request.headers.get('host') === URL.parse(publicUrl)?.host;
};

const originIn = ({ headers }: Request) => {
  const origin = headers.get('origin');
  return origin === null || origin === 'null' ? undefined : origin;
};
