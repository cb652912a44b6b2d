import { Elysia, t } from 'elysia';
import { answerOf, published, textOut } from '../base/shapes.ts';
import type { Described } from './describe.ts';
import { docsPath } from './docs.ts';
import { single } from './envelope.ts';
import { openApiPath } from './openapi.ts';

type Routes = { routes: { method: string; path: string }[] };

const start = answerOf('Start', {
  paths: t.Array(textOut(255), {
    description: 'What can be read without an id, in the order of the alphabet.',
    ...published({ maxItems: 100 }),
  }),
  openapi: textOut(255, 'The API description.'),
  docs: textOut(255, 'The same for people.'),
});

/** GET /v1: what is there (docs/contract.md, Endpoints). It needs no key. */
export const rootRoutes = (app: Routes) =>
  new Elysia({ name: 'root', tags: ['Start'] }).get(
    '/v1',
    () => ({ data: { paths: pathsOf(app), openapi: openApiPath, docs: docsPath } }),
    {
      response: { 200: single(start, 'Where to begin.') },
      detail: {
        operationId: 'readStart',
        summary: 'List what is there',
        description: 'The paths of the API, and where they are described. It needs no key.',
        'x-described': { refusals: ['method_not_allowed'] } satisfies Described,
      },
    },
  );

const pathsOf = ({ routes }: Routes) =>
  routes
    .filter(({ method, path }) => method === 'GET' && /^\/v1\/[^:]+$/.test(path))
    .map(({ path }) => path)
    .sort();
