import { t } from 'elysia';
import { answerOf, nullable, oneOf, textParameter } from '../base/shapes.ts';
import { pageParameters } from '../record/page.ts';

/** The newest matches of a kind that a search looks at: it costs the same however many there are. */
export const mostMatches = 200;

/** So many of the words that hold a part are looked up; of more it is not said which. */
export const mostHolding = 200;

/** So many of the newest records of a kind are read where there is nothing to ask the index for. */
export const mostRead = 2_000;

export const foundTypes = ['CONTACT', 'MATTER', 'LEAD'] as const;

/** What a record can be found by, in the words of its own fields; `client` is a matter's client's name. */
export const matchedFields = [
  ...['name', 'nickname', 'companyName', 'tradeName', 'companyType', 'email', 'phone'],
  ...['number', 'title', 'client'],
] as const;

export const searchQuery = t.Object(
  {
    q: textParameter(
      200,
      'What to look for: words or parts of words of names, titles, numbers, emails, phones. All must match.',
    ),
    ...pageParameters,
  },
  { additionalProperties: true },
);

export const foundRow = answerOf('Found', {
  type: oneOf(foundTypes),
  id: t.String(),
  publicId: nullable(t.String({ description: 'The number; null for contacts, which have none.' })),
  title: t.String({
    description: "The contact's name, the matter's title, the lead's prospect's name.",
  }),
  matched: oneOf(matchedFields),
});

export type FoundRow = typeof foundRow.static;
export type MatchedField = (typeof matchedFields)[number];
