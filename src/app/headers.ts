/**
 * The content security policy: a page loads and sends only to the application, and contains no
 * script.
 */
const policy = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "img-src 'self' data:",
  "font-src 'self'",
  "connect-src 'self'",
  "form-action 'self'",
  "base-uri 'none'",
  "frame-ancestors 'none'",
].join('; ');

const safety = {
  'content-security-policy': policy,
  'x-content-type-options': 'nosniff',
  'referrer-policy': 'same-origin',
  'cross-origin-opener-policy': 'same-origin',
  'cache-control': 'no-store',
};

/** Headers beside those of every answer. Of a list, each is sent as one: cookies cannot share one. */
export type MoreHeaders = Record<string, string | readonly string[]>;

const headersWith = (usual: Record<string, string>, more: MoreHeaders): Headers => {
  const headers = new Headers(usual);
  for (const [name, values] of Object.entries(more)) {
    headers.delete(name);
    for (const value of [values].flat()) headers.append(name, value);
  }
  return headers;
};

const smallest = 1_400;

/** A page's answer, compressed if the browser accepts it. */
export const htmlAnswer = (
  text: string,
  status: number,
  request: Request,
  more: MoreHeaders = {},
): Response => {
  const isPacked =
    text.length > smallest && /\bgzip\b/.test(request.headers.get('accept-encoding') ?? '');
  return new Response(isPacked ? Bun.gzipSync(Buffer.from(text), { level: 1 }) : text, {
    status,
    headers: headersWith(
      {
        ...safety,
        'content-type': 'text/html; charset=utf-8',
        vary: 'accept-encoding, accept, cookie',
        ...(isPacked && { 'content-encoding': 'gzip' }),
      },
      more,
    ),
  });
};

/** JSON for the application's own scripts. */
export const jsonAnswer = (value: unknown, status: number, more: MoreHeaders = {}) =>
  Response.json(value, { status, headers: headersWith(safety, more) });

/** Redirects a browser to another address, with GET. */
export const seeOther = (path: string, more: MoreHeaders = {}) =>
  new Response(null, { status: 303, headers: headersWith({ ...safety, location: path }, more) });

/** Sends a browser's form on to another address as it is. */
export const sendOn = (path: string) =>
  new Response(null, { status: 307, headers: { ...safety, location: path } });

/**
 * Adds the missing headers of the policy to an answer that a page made itself, for example a file.
 */
export const withPolicy = (response: Response): Response => {
  for (const [name, value] of Object.entries(safety)) {
    if (!response.headers.has(name)) response.headers.set(name, value);
  }
  return response;
};
