import { Elysia } from 'elysia';
import { invalidField } from '../base/refusal.ts';
import { isRequired } from '../base/rule.ts';
import { withExternalId } from '../search/by-external-id.ts';
import { search } from '../search/search.ts';
import { foundRow, maxHolding, maxMatches, maxRead, searchQuery } from '../search/wire.ts';
import type { Described } from './describe.ts';
import { answerList, pageShape } from './envelope.ts';
import type { gate } from './gate.ts';

/**
 * GET /v1/search: contacts, matters and leads that the key may read (docs/contract.md, Additions).
 */
export const searchRoutes = (plugin: ReturnType<typeof gate>['plugin']) =>
  new Elysia({ name: 'search', tags: ['Search'] }).use(plugin).get(
    '/v1/search',
    async ({ actor, granted, query, request, set }) => {
      const kinds = {
        contacts: granted.includes('contacts:read'),
        leads: granted.includes('leads:read'),
        matters: granted.includes('matters:read'),
      };
      const { externalId, q } = query;
      return answerList({ request, set, query, own: ['q', 'externalId'] }, (page) => {
        if (externalId !== undefined) return withExternalId(actor, kinds, { externalId, q }, page);
        if (q === undefined) throw invalidField('q', isRequired(' where there is no externalId'));
        return search(actor, kinds, q, page);
      });
    },
    {
      scope: ['contacts:read', 'matters:read', 'leads:read'],
      query: searchQuery,
      response: { 200: pageShape(foundRow, 'A page of what was found, best match first.') },
      detail: {
        operationId: 'search',
        summary: 'Search contacts, matters and leads',
        description: [
          'Finds records by words and parts of words. Case, accents and the grouping of digits do not matter. Leading zeros of a number can be left out.',
          'Words of one or two letters match the beginning of words. If nothing matches, small typos are forgiven.',
          `Of each kind, the newest ${maxMatches} matches are counted, those with all words whole first. Up to that number, the total is exact.`,
          `A part of more than ${maxHolding} different words is searched only in the newest ${maxRead.toLocaleString('en')} records of a kind, unless another word narrows the search.`,
          'The key needs at least one of the scopes contacts:read, matters:read and leads:read. Only kinds that it may read are searched.',
        ].join(' '),
        'x-described': { refusals: ['invalid_request'] } satisfies Described,
      },
    },
  );
