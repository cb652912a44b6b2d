import { Elysia, NotFoundError, ValidationError } from 'elysia';
import { unavailable } from '../base/refusal.ts';
import type { Settings } from '../config.ts';
import { eventTypes, resources } from '../contents.ts';
import { openFresh } from '../events/fresh.ts';
import { requestIdOf } from '../http/request-id.ts';
import { targetOf } from '../http/target.ts';
import type { Database } from '../postgres/pool.ts';
import type { Resource } from '../record/resource.ts';
import type { Webhooks } from '../webhooks/endpoint.ts';
import { webhookEndpoints } from '../webhooks/resource.ts';
import { webhooksOf } from '../webhooks/webhooks.ts';
import { customFieldRoutes } from './custom-fields.ts';
import { answerDryRuns } from './dry-run.ts';
import { answerFailure, isAboutShape } from './errors.ts';
import { eventRoutes } from './events.ts';
import { fiveRoutes, missingFrom } from './five-routes.ts';
import { gate } from './gate.ts';
import { health, type Readiness } from './health.ts';
import { heeding } from './ignored.ts';
import { leadStageRoutes } from './lead-stages.ts';
import { meRoutes } from './me.ts';
import { memberRoutes } from './members.ts';
import { refuseMethods } from './methods.ts';
import { openApi } from './openapi.ts';
import { rootRoutes } from './root.ts';
import { searchRoutes } from './search.ts';
import { webhookRoutes } from './webhooks.ts';

/** Whether a path belongs to the API. Every other path is the application's. */
export const isOfApi = (pathname: string) =>
  /^\/(v1|docs|healthz|readyz|version)(\/|$)/.test(pathname);

/** Door one, for integrators: every route of the API, and what all routes share. */
export const api = (
  database: Database,
  settings: Settings,
  whyNotReady: Readiness,
  fresh = openFresh(database),
  webhooks: Webhooks = webhooksOf(eventTypes, settings),
) => {
  const doors = gate(database, settings, () => app.server);
  const heed = heeding(() => app, doors.actorOf);
  const answerDry = answerDryRuns(doors.actorOf);
  const cards = [...resources, webhookEndpoints(webhooks)];
  const app = bareApi()
    .onError(async ({ body, error, params, request, route, set }) => {
      const failure = misspelled({ body, error, request, route, set }, heed);
      const missing =
        isAboutShape(failure) &&
        (await missingFrom(cardAt(cards, request), doors.actorOf(request), params));
      return answerFailure(missing || refuseMethods(app, request, failure), set);
    })
    // Named one by one: given the whole context, Elysia would read cookies for it.
    .onBeforeHandle(({ body, request, route, set }) => heed({ body, request, route, set }))
    .onAfterHandle(({ request, response, set }) => answerDry({ request, response, set }))
    .use(openApi())
    .use(health(whyNotReady))
    .use(customFieldRoutes(doors.plugin))
    .use(leadStageRoutes(doors.plugin))
    .use(searchRoutes(doors.plugin))
    .use(meRoutes(doors.plugin))
    .use(memberRoutes(doors.plugin))
    .use(eventRoutes(doors.plugin, fresh));
  app.use(rootRoutes(app));
  for (const card of cards) app.use(fiveRoutes(card, doors));
  app.use(webhookRoutes(doors.plugin, webhooks));
  return app;
};

type Misshapen = Parameters<ReturnType<typeof heeding>>[0] & { error: unknown };

/**
 * What is wrong with a request whose shape was refused. Names that its route does not know are said
 * with it: a field that is missing may be there, misspelled.
 */
const misspelled = ({ error, ...asked }: Misshapen, heed: ReturnType<typeof heeding>): unknown => {
  if (!(error instanceof ValidationError)) return error;
  try {
    heed(asked);
    return error;
  } catch (refusal) {
    return refusal;
  }
};

const starting = 'The server is starting.';

/**
 * The same door before there is a database: it says that it is alive, and answers 503 to the rest.
 */
export const startingApi = () =>
  bareApi()
    .onError(({ error, set }) =>
      answerFailure(error instanceof NotFoundError ? unavailable(starting) : error, set),
    )
    .use(health(async () => starting));

const bareApi = () =>
  new Elysia({
    normalize: false,
    systemRouter: false,
  }).onRequest(({ request, set }) => {
    set.headers['x-request-id'] = requestIdOf(request);
    set.headers['cache-control'] = 'no-store';
    set.headers['x-content-type-options'] = 'nosniff';
  });

/** The resource whose record the request's path names. */
const cardAt = (cards: readonly Resource[], request: Request) =>
  cards.find(({ name }) => targetOf(request).pathname.startsWith(`/v1/${name}/`));
