/** Whether a path matches a route's pattern, for example `/v1/leads/:id`. */
export const matches = (route: string, pathname: string) => {
  const wanted = route.split('/');
  const given = pathname.replace(/\/$/, '').split('/');
  return (
    wanted.length === given.length &&
    wanted.every((part, index) =>
      part.startsWith(':') ? given[index] !== '' : part === given[index],
    )
  );
};

/**
 * Finds the pattern of a path among these routes, or `none`. There are no more results than routes,
 * whatever callers ask for.
 */
export const patternFinder = (routes: { path: string }[]) => {
  const patterns = new Set(routes.map(({ path }) => path));
  const open = [...patterns].filter((path) => path.includes(':'));
  return (pathname: string): string =>
    patterns.has(pathname)
      ? pathname
      : (open.find((path) => matches(path, pathname)) ??
        (patterns.has(pathname.replace(/\/$/, '')) ? pathname.replace(/\/$/, '') : 'none'));
};
