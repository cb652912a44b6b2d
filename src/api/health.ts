import { Elysia, t } from 'elysia';
import { unavailable } from '../base/refusal.ts';
import { answerOf, nullable, textOut } from '../base/shapes.ts';
import { build } from '../version.ts';
import type { Described } from './describe.ts';

/** Why requests cannot be answered now, as a sentence; undefined if they can. */
export type Readiness = () => Promise<string | undefined>;

const described = (operationId: string, summary: string, description: string) => ({
  operationId,
  summary,
  description,
  'x-described': { refusals: ['method_not_allowed'] } satisfies Described,
});

const alive = answerOf('Alive', { status: t.Literal('ok') });
const ready = answerOf('Ready', { status: t.Literal('ready') });
const thisBuild = answerOf('Build', {
  version: textOut(255),
  commit: nullable(textOut(255)),
  builtOn: nullable(textOut(10, 'The day, YYYY-MM-DD.')),
});

/** For load balancers and service managers: no key, no firm data (docs/contract.md, Additions). */
export const health = (whyNotReady: Readiness) =>
  new Elysia({ name: 'health', tags: ['Health'] })
    .get('/healthz', () => ({ status: 'ok' as const }), {
      response: { 200: alive },
      detail: described('readHealth', 'Whether the process lives', 'It does if this answers.'),
    })
    .get(
      '/readyz',
      async () => {
        const reason = await whyNotReady();
        if (reason !== undefined) throw unavailable(reason);
        return { status: 'ready' as const };
      },
      {
        response: { 200: ready },
        detail: described(
          'readReadiness',
          'Whether requests can be answered now',
          'Otherwise 503, with the reason: the server starts or stops, or its database does not answer.',
        ),
      },
    )
    .get('/version', () => build, {
      response: { 200: thisBuild },
      detail: described('readVersion', 'Which version this is', 'Its commit and day, if known.'),
    });
