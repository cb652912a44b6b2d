/**
 * The path and the query of a request. Not `new URL(request.url)`: the host is the caller's choice.
 * HTTP/1.0 may leave it out, and it may be malformed.
 */
export const targetOf = ({ url }: Pick<Request, 'url'>): URL => {
  const target = url.replace(/^[a-z]+:\/\/[^/?#]*/i, '');
  return new URL(`http://localhost${target.startsWith('/') ? '' : '/'}${target}`);
};

const plainPath = /^[a-z]+:\/\/[^/?#]*(\/[\w/-]*)(?:\?|$)/;

/** The path of a request. One of letters, digits and slashes alone needs no further reading. */
export const pathOf = (request: Pick<Request, 'url'>): string =>
  plainPath.exec(request.url)?.[1] ?? targetOf(request).pathname;
