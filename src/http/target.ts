/**
 * The path and the query of a request. Not `new URL(request.url)`: its host is the caller's own
 * word, which HTTP/1.0 may leave out and which need not be one.
 */
export const targetOf = ({ url }: Pick<Request, 'url'>): URL => {
  const target = url.replace(/^[a-z]+:\/\/[^/?#]*/i, '');
  return new URL(`http://localhost${target.startsWith('/') ? '' : '/'}${target}`);
};
