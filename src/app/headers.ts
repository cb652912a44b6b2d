/** What a page may load and send: nothing but the application's own, and no script within a page. */
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

const smallest = 1_400;

/** A page's answer, compressed where the browser takes it. */
export const htmlAnswer = (
  text: string,
  status: number,
  request: Request,
  more: Record<string, string> = {},
): Response => {
  const isPacked =
    text.length > smallest && /\bgzip\b/.test(request.headers.get('accept-encoding') ?? '');
  return new Response(isPacked ? Bun.gzipSync(Buffer.from(text), { level: 1 }) : text, {
    status,
    headers: {
      ...safety,
      'content-type': 'text/html; charset=utf-8',
      vary: 'accept-encoding, accept, cookie',
      ...(isPacked && { 'content-encoding': 'gzip' }),
      ...more,
    },
  });
};

/** JSON for a script of ours. */
export const jsonAnswer = (value: unknown, status: number, more: Record<string, string> = {}) =>
  Response.json(value, { status, headers: { ...safety, ...more } });

/** Sends a browser on to another address, with GET. */
export const seeOther = (path: string, more: Record<string, string> = {}) =>
  new Response(null, { status: 303, headers: { ...safety, location: path, ...more } });

/** A page's own answer (a file) with the policy it left out. */
export const withPolicy = (response: Response): Response => {
  for (const [name, value] of Object.entries(safety)) {
    if (!response.headers.has(name)) response.headers.set(name, value);
  }
  return response;
};
