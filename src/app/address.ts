/** An address within the application. Anything else, for example another server's, becomes Home. */
export const pathWithin = (text: string | null | undefined): string =>
  text && /^\/(?![/\\])[\w./?=&%+~:,-]*$/.test(text) && text.length <= 2_000 ? text : '/';
