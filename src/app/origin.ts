import { Refusal } from '../base/refusal.ts';

/**
 * That a form was sent by a page of ours, so that no other site can act as its visitor. Browsers say
 * so in Sec-Fetch-Site where the connection is secure, and in Origin. Throws `Refusal` forbidden, also
 * where neither is there: no browser sends a form without.
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
