import { Refusal } from '../base/refusal.ts';

/**
 * Checks that a page of the application sent the form, so that no other site can act for the
 * visitor. Browsers say so in Sec-Fetch-Site on a secure connection, and in Origin. Throws
 * `Refusal` forbidden, also if both are missing: every browser sends one of them with a form.
 */
export const mustBeOurs = (request: Request, publicHost?: string) => {
  const site = request.headers.get('sec-fetch-site');
  if (site !== null ? site === 'same-origin' : originIsOurs(request, publicHost)) return;
  throw new Refusal(
    'forbidden',
    'This form was sent from another site. Nothing was changed. Open the page here and send it again.',
  );
};

const originIsOurs = (request: Request, publicHost: string | undefined) => {
  const origin = URL.parse(request.headers.get('origin') ?? '');
  const hosts = [request.headers.get('host'), publicHost];
  return origin !== null && origin.host !== '' && hosts.includes(origin.host);
};
