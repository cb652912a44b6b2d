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

const plainTarget = /^[a-z]+:\/\/[^/?#]*(\/[\w/-]*(?:\?[^#]*)?)$/;

/**
 * The request, with its target at localhost as its `url`, for every door of a port. Elysia cuts the
 * path out of the url at a fixed letter, which is right for no scheme and host but these.
 */
export const atLocalhost = (request: Request): Request => {
  const target = plainTarget.exec(request.url)?.[1] ?? wholeTargetOf(request);
  return Object.defineProperty(request, 'url', { value: `http://localhost${target}` });
};

const wholeTargetOf = (request: Request) => {
  const { pathname, search } = targetOf(request);
  return `${pathname}${search}`;
};
