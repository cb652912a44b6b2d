/** Whether a path matches a route's pattern, for example `/v1/leads/:id`. */
export const matches = (route: string, pathname: string) =>
  areMatching(route.split('/'), partsOf(pathname));

const partsOf = (pathname: string) => pathname.replace(/\/$/, '').split('/');

const areMatching = (wanted: string[], given: string[]) =>
  wanted.length === given.length &&
  wanted.every((part, index) =>
    part.startsWith(':') ? given[index] !== '' : part === given[index],
  );

/**
 * Finds the pattern of a path among these routes, or `none`. There are no more results than routes,
 * whatever callers ask for.
 */
export const patternFinder = (routes: { path: string }[]) => {
  const patterns = new Set(routes.map(({ path }) => path));
  const open = [...patterns]
    .filter((path) => path.includes(':'))
    .map((path) => ({ path, parts: path.split('/') }));
  return (pathname: string): string => {
    if (patterns.has(pathname)) return pathname;
    const given = partsOf(pathname);
    const found = open.find(({ parts }) => areMatching(parts, given))?.path ?? given.join('/');
    return patterns.has(found) ? found : 'none';
  };
};
