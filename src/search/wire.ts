import { t } from 'elysia';
import {
  answerOf,
  idOut,
  longestName,
  nameOut,
  nullable,
  oneOf,
  textOut,
  textParameter,
  withSample,
} from '../base/shapes.ts';
import { longestExternalId } from '../contacts/external-id.ts';
import { pageParameters } from '../record/page.ts';

/**
 * A search looks at this many of the newest matches of a kind, so its cost does not depend on how
 * many there are.
 */
export const maxMatches = 200;

/** This many of the words that contain a part are looked up. If there are more, they are not listed. */
export const maxHolding = 200;

/** This many of the newest records of a kind are read if there is nothing to ask the index for. */
export const maxRead = 2_000;

export const foundTypes = ['CONTACT', 'MATTER', 'LEAD'] as const;

/**
 * The fields that can match. `client` is the name of a matter's client; `externalId` matches only a
 * search for one.
 */
const matchedFields = [
  ...['name', 'nickname', 'companyName', 'tradeName', 'companyType', 'email', 'phone'],
  ...['number', 'title', 'client', 'externalId'],
] as const;

export const searchQuery = t.Object(
  {
    q: t.Optional(
      withSample(
        textParameter(
          200,
          'What to look for: words or parts of words of names, titles, numbers, emails, phones. All must match. It may be missing if `externalId` is sent.',
        ),
        'roe',
      ),
    ),
    externalId: t.Optional(
      textParameter(
        longestExternalId,
        'The id that your program gave to a contact or a lead. With `q`, both must match.',
      ),
    ),
    ...pageParameters,
  },
  { additionalProperties: true },
);

export const foundRow = answerOf('Found', {
  type: oneOf(foundTypes),
  id: idOut(),
  publicId: nullable(nameOut('The number; null for contacts, which have none.')),
  title: textOut(
    longestName,
    "The contact's name, the matter's title, the lead's prospect's name.",
  ),
  matched: oneOf(matchedFields),
});

export type FoundRow = typeof foundRow.static;
export type MatchedField = (typeof matchedFields)[number];
