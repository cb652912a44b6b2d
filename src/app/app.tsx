/** @jsxImportSource preact */
import { type Context, Elysia } from 'elysia';
import { isId } from '../base/columns.ts';
import { notFound, Refusal, unavailable } from '../base/refusal.ts';
import type { Settings } from '../config.ts';
import type { Installation } from '../doctor/installation.ts';
import { listMembers, ownersAmong } from '../firm/member.ts';
import { noteCaller } from '../http/caller.ts';
import { callerAddress } from '../http/client-address.ts';
import { asRefusal, statusOf } from '../http/failure.ts';
import { requestIdOf } from '../http/request-id.ts';
import { targetOf } from '../http/target.ts';
import { unreadOf } from '../notifications/inbox.ts';
import type { Database } from '../postgres/pool.ts';
import type { SignedIn } from '../sign-in/session.ts';
import {
  askToSignIn,
  describeServer,
  documentText,
  goTo,
  isAboutForm,
  notForRole,
  plainFailure,
  refusalAsJson,
  sessionOf,
  unsaid,
  wantsHtml,
  wantsJson,
  withoutValues,
} from './answers.tsx';
import { loadAssets } from './assets.ts';
import { FailurePage, failureTitle } from './failure-page.tsx';
import { maxFormBytes, readFields } from './fields.ts';
import { rowFrameAt } from './frame.tsx';
import { htmlAnswer, jsonAnswer, type MoreHeaders, withPolicy } from './headers.ts';
import { MemberDocument, OpenDocument } from './layout.tsx';
import { knownBy, openLive } from './live.ts';
import { mustBeOurs } from './origin.ts';
import { pages } from './pages.ts';
import { admitsBy, carryOut, isAdmitted, maySee, policyBy } from './policy.ts';
import type { OpenVisit, Page, SentForm, Shown, Visit } from './visit.ts';

/**
 * Door three, for the firm's people in a browser. `live` are its open streams, to be closed at the
 * end.
 */
export const application = (
  database: Database,
  settings: Settings,
  installation: Installation = {},
) => {
  const live = openLive(database);
  const { answer, fail } = answering(database, settings, installation);
  // A hook is for the routes that come after it.
  const app = bareApplication().onError(({ error, request, set }) =>
    fail(request, asRefusal(error, set.headers['x-request-id'])),
  );
  for (const page of pages) {
    app.route(page.method, page.path, (context) => answer(page, context), { parse: leaveUnread });
  }
  app
    .get('/assets/:version/:name', async ({ request }) => {
      const { pathname } = targetOf(request);
      return (await loadAssets()).answer(request, pathname) ?? new Response(null, { status: 404 });
    })
    .get('/live', async ({ request }) => {
      const { session, token } = await sessionOf(database, settings, request);
      // 204 tells a browser not to ask again.
      return session
        ? live.listen(session, token, knownBy(request))
        : new Response(null, { status: 204 });
    });
  return { app, live };
};

/** The same door while there is no database yet: it asks visitors to wait. */
export const startingApplication = () =>
  bareApplication().onError(({ request }) =>
    plainFailure(request, unavailable('The server is starting.')),
  );

const bareApplication = () =>
  new Elysia({
    normalize: false,
    systemRouter: false,
  }).onRequest(({ request, set }) => {
    set.headers['x-request-id'] = requestIdOf(request);
  });

/** A form is read only after its origin was checked. */
const leaveUnread = () => ({});

/** How a page is answered: session, permission, origin, fields, verb, page. */
const answering = (database: Database, settings: Settings, installation: Installation) => {
  const answer = async (page: Page, context: Context): Promise<Response> => {
    const { request } = context;
    if (page.path === '/' && !wantsHtml(request)) return describeServer();
    let session: SignedIn | undefined;
    try {
      session = (await sessionOf(database, settings, request)).session;
      if (session) noteCaller(request, { firmId: session.firmId, keyId: null });
      const visit = visitOf(context, session, { settings, database, installation });
      if (page.admission !== 'open' && !session) return askToSignIn(visit);
      if (!isAdmitted(page.admission, session)) {
        throw notForRole(page.method === 'GET' ? 'page' : 'change');
      }
      if (!namesRecords(visit.parameters)) throw notFound();
      if (page.method === 'GET') {
        if (!maySee(page, visit)) throw notForRole('page');
        return await give(page, visit, page.show(visit), 200);
      }
      mustBeOurs(request, settings.publicUrl);
      return await perform(page, visit);
    } catch (error) {
      return fail(request, asRefusal(error, context.set.headers['x-request-id']), session);
    }
  };

  /**
   * Shows a failure, within the application if the member is signed in and the database answers.
   */
  const fail = async (request: Request, refusal: Refusal, known?: SignedIn): Promise<Response> => {
    if (wantsJson(request)) return plainFailure(request, refusal);
    try {
      const session = known ?? (await sessionOf(database, settings, request)).session;
      if (!session) return await plainFailure(request, refusal);
      const owners = refusal.code === 'forbidden' ? await ownersOf(session) : [];
      const main = <FailurePage request={request} refusal={refusal} owners={owners} />;
      const { pathname: path } = targetOf(request);
      const query = new URLSearchParams();
      const visit = { request, path, parameters: {}, query, session, database, settings };
      const shown = { title: failureTitle(refusal), main };
      const unread = await unreadOf(session.actor);
      const text = await documentOf({ ...visit, installation, address: '' }, shown, unread);
      return htmlAnswer(text, statusOf[refusal.code], request, refusal.headers);
    } catch {
      return plainFailure(request, refusal);
    }
  };

  return { answer, fail };
};

/**
 * Does what a form asks. A refusal of it is shown beside its fields, on a page that the visitor may
 * see; otherwise it is shown alone.
 */
const perform = async (sent: SentForm, visit: OpenVisit) => {
  const fields = await readFields(visit.request, sent.policy.maxBytes ?? maxFormBytes);
  try {
    const next = await carryOut(sent, visit, fields);
    if (typeof next === 'object' && 'main' in next) return await give(sent, visit, next, 200);
    const mayRead = maySee(sent.again, visit);
    return withPolicy(goTo(visit.request, mayRead ? next : unsaid(next), sent.policy.said));
  } catch (refusal) {
    if (!(refusal instanceof Refusal)) throw refusal;
    // A one-time link that no longer works has a page of its own, which says so.
    const isOver = sent.admission === 'open' && refusal.code === 'not_found';
    if (!isOver && !isAboutForm(refusal)) throw refusal;
    if (!maySee(sent.again, visit)) throw withoutValues(refusal);
    const isEarly = refusal.code === 'rate_limited';
    const status = isOver ? 410 : isEarly ? 429 : 422;
    const { headers } = refusal;
    if (wantsJson(visit.request)) return jsonAnswer(refusalAsJson(refusal), status, headers);
    const again = { ...visit, refused: { fields, refusal, action: visit.path } };
    return await give(sent, again, sent.again.show(again), status, headers);
  }
};

const give = async (
  { admission }: Page,
  visit: OpenVisit,
  showing: Shown | Response | Promise<Shown | Response>,
  status: number,
  headers: MoreHeaders = {},
) => {
  // An open page is a card of its own for everybody, also for a member who is signed in.
  const member = admission === 'open' ? undefined : visit.session;
  const isJson = wantsJson(visit.request);
  const askUnread = async () => member && unreadOf(member.actor);
  // Asked for at the same time, both travel together. JSON does not say how many are unread.
  const [shown, early] = await Promise.all([showing, isJson ? undefined : askUnread()]);
  if (shown instanceof Response) return withPolicy(shown);
  if (isJson && shown.data !== undefined) return jsonAnswer(shown.data, status, headers);
  const text = await documentOf(visit, shown, early ?? (await askUnread()));
  // Who comes too early is told that, whatever the page says.
  const own = status === 429 ? status : (shown.status ?? status);
  return htmlAnswer(text, own, visit.request, { ...headers, ...shown.headers });
};

const admits = admitsBy(pages);
const policyOf = policyBy(pages);

/** A member's document says how many notices are unread. Without that it is a card. */
const documentOf = async (visit: OpenVisit, shown: Shown, unread?: number): Promise<string> => {
  const { session } = visit;
  const frame = {
    visit,
    admits: (path: string) => admits(path, session),
    policyOf,
    ...rowFrameAt(new Date(), session),
  };
  const drawn = { shown, frame, assets: await loadAssets() };
  return documentText(
    unread === undefined ? (
      <OpenDocument {...drawn} />
    ) : (
      <MemberDocument {...drawn} unread={unread} />
    ),
  );
};

/** Whether the ids in the address have the form of ids. */
const namesRecords = (parameters: Record<string, string>) =>
  Object.entries(parameters).every(([name, text]) => !/(^id|Id)$/.test(name) || isId(text));

/** What a page gets to know about its request. */
const visitOf = (
  { request, params, server }: Context,
  session: SignedIn | undefined,
  of: Pick<OpenVisit, 'settings' | 'database' | 'installation'>,
): OpenVisit => {
  const { pathname, searchParams } = targetOf(request);
  const address = callerAddress(
    server?.requestIP(request)?.address ?? 'unknown',
    request.headers.get('x-forwarded-for'),
    of.settings.trustedProxies,
  );
  const open = {
    ...of,
    request,
    path: pathname,
    parameters: params ?? {},
    query: searchParams,
    session,
    address,
  };
  if (!session) return open;
  const may: Visit['may'] = (permission) => isAdmitted(permission, session);
  const signedIn: Visit = { ...open, session, actor: session.actor, may };
  return signedIn;
};

const ownersOf = async ({ actor }: SignedIn) => ownersAmong(await listMembers(actor));
