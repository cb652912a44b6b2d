/** An address of the application to go on to; anything else, such as another server's, is Home. */
export const pathWithin = (text: string | null | undefined): string =>
  text && /^\/(?![/\\])[\w./?=&%+~:,-]*$/.test(text) && text.length <= 2_000 ? text : '/';
