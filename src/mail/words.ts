const maxWords = 400;
/** A shorter one stands in any text by chance. */
const shortestSecret = 4;

/** Somebody else's words on one line, without what could control a terminal or a page, and not too long. */
export const oneLine = (text: string): string =>
  text
    .toWellFormed()
    .replaceAll(/[\p{C}\s]+/gu, ' ')
    .trim()
    .slice(0, maxWords)
    .toWellFormed();

/** The same text without these secrets, as they are or as mail servers are told them. */
export const withoutSecrets = (text: string, secrets: readonly string[]): string => {
  const forms = secrets
    .filter((secret) => secret.length >= shortestSecret)
    .flatMap((secret) => [secret, Buffer.from(secret).toString('base64')]);
  return forms.reduce((rest, form) => rest.replaceAll(form, '•••'), text);
};
