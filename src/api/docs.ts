/** Where the documents are that describe the API to people (src/documents). */
export const docsPath = '/docs';

/** Where each code of a refusal has a paragraph of its own. */
export const refusalsPath = '/docs/errors.md';
