/** An address within the application. Anything else, for example another server's, becomes Home. */
export const pathWithin = (text: string | null | undefined): string =>
  text && /^\/(?![/\\])[\w./?=&%+~:,-]*$/.test(text) && text.length <= 2_000 ? text : '/';

/** The address of a page of the list with these parameters: `/leads/1` of `/leads/:id`. */
export const addressOf = (path: string, parameters: Readonly<Record<string, string>>): string =>
  path.replace(/:(\w+)/g, (_, name) => parameters[name] ?? '');

/**
 * The page that sent a form, to show it again as it was; `otherwise` if the browser does not say.
 */
export const cameFrom = (request: Request, otherwise: string): string => {
  const from = URL.parse(request.headers.get('referer') ?? '');
  return from ? pathWithin(from.pathname + from.search) : otherwise;
};
