/** @jsxImportSource preact */
import type { VNode } from 'preact';
import { render } from 'preact-render-to-string';
import { Refusal } from '../base/refusal.ts';
import type { Settings } from '../config.ts';
import { statusOf } from '../http/failure.ts';
import { targetOf } from '../http/target.ts';
import type { Database } from '../postgres/pool.ts';
import { readSession, type SignedIn } from '../sign-in/session.ts';
import { version } from '../version.ts';
import { loadAssets } from './assets.ts';
import { sessionCookieNames, textIn } from './cookies.ts';
import { Failure, failureTitle } from './failure-page.tsx';
import { rowFrameAt } from './frame.tsx';
import { htmlAnswer, jsonAnswer, seeOther, sendOn } from './headers.ts';
import { Card, OpenDocument } from './layout.tsx';
import { addressWithForm, canBePending } from './pending-form.tsx';
import type { GoTo, OpenVisit } from './visit.ts';

export const documentText = (document: VNode): string => `<!doctype html>${render(document)}`;

/** Whether the request comes from a browser that shows pages. */
export const wantsHtml = (request: Request) =>
  /\btext\/html\b/.test(request.headers.get('accept') ?? '');

/** Whether the request comes from a script or a program that reads JSON. */
export const wantsJson = (request: Request) =>
  !wantsHtml(request) || request.headers.get('x-sent-by') === 'island';

/**
 * The member who is signed in with the request's cookie, and the cookie's value. A script names the
 * member of its page. If another member is signed in now, nothing is sent as them.
 */
export const sessionOf = async (
  database: Database,
  settings: Settings,
  request: Request,
): Promise<{ session: SignedIn; token: string } | { session: undefined; token: undefined }> => {
  const pageOf = request.headers.get('x-member');
  for (const name of sessionCookieNames(request, settings)) {
    const token = textIn(request, name);
    const session = token && (await readSession(database, token));
    if (token && session && (pageOf ?? session.member.id) === session.member.id)
      return { session, token };
  }
  return { session: undefined, token: undefined };
};

/**
 * Sends the sender of a form to another page. A script gets the address instead, because it knows
 * which page it shows, and what the page says then: `words`, if the form itself says nothing.
 */
export const goTo = (request: Request, to: GoTo | Response, words?: string): Response => {
  if (to instanceof Response) return to;
  const next: Exclude<GoTo, string> = typeof to === 'string' ? { path: to } : to;
  const { headers = {}, isKept, said = words && { words } } = next;
  const path = sayingWhich(request, next.path, words);
  const isScript = request.headers.has('x-sent-by');
  if (isScript) {
    const answer = isKept ? { goTo: path, isKept } : { goTo: path, ...(said && { said }) };
    return jsonAnswer(answer, 200, headers);
  }
  if (isKept && canBePending(request)) return sendOn(addressWithForm(path, request));
  return seeOther(path, headers);
};

/** A page of settings that says what was saved: by the form's address, it finds the words. */
const sayingWhich = (request: Request, path: string, words: string | undefined) =>
  words
    ? path.replace(
        /([?&]saved)(=[^&#]*)?(?=[&#]|$)/,
        (_, name) => `${name}=${encodeURIComponent(targetOf(request).pathname)}`,
      )
    : path;

/** The same without what is said of the record, for who may not read it. */
export const unsaid = (to: GoTo | Response): GoTo | Response =>
  to instanceof Response || typeof to === 'string' ? to : { ...to, said: undefined };

/** Sends a visitor to the sign-in page, and back afterwards. A form that was sent goes along. */
export const askToSignIn = ({ request, path, query }: OpenVisit): Response => {
  const text = query.toString();
  const to = request.method === 'GET' ? `${path}${text && `?${text}`}` : pageOf(request);
  const where = `/sign-in?to=${encodeURIComponent(to)}`;
  if (request.headers.has('x-sent-by') || !wantsHtml(request)) {
    const message = request.headers.has('authorization')
      ? 'This page is for people who sign in. What a key may call is under /v1; GET /v1 lists it.'
      : 'Sign in.';
    return jsonAnswer({ error: { code: 'unauthorized', message }, signIn: where }, 401);
  }
  return canBePending(request) ? sendOn(addressWithForm(where, request)) : seeOther(where);
};

/** The page of the application that a form is on, as the browser says. */
const pageOf = (request: Request) => {
  const from = URL.parse(request.headers.get('referer') ?? '');
  return from?.host === request.headers.get('host') ? `${from?.pathname}${from?.search}` : '/';
};

/** The refusal for a member whose role does not include a page, or what a form changes. */
export const notForRole = (what: 'page' | 'change') =>
  new Refusal('forbidden', `Your role does not include this ${what}.`);

/**
 * Whether a refusal belongs to the form that was sent. 404, 403 and failures belong to the page.
 */
export const isAboutForm = ({ code, faults }: Refusal) =>
  faults.length > 0 || !['not_found', 'forbidden', 'unavailable', 'internal_error'].includes(code);

/** A refusal without what the record holds now, for who may not read that. */
export const withoutValues = ({ code, message, headers, faults }: Refusal) =>
  new Refusal(
    code,
    message,
    headers,
    faults.map(({ field, rule, kind }) => ({ field, rule, kind })),
  );

/** A refusal in the API's envelope, for scripts and programs. */
export const refusalAsJson = ({ code, message, faults }: Refusal) => ({
  error: { code, message, ...(faults.length > 0 && { faults }) },
});

/** A failure shown to visitors who are not signed in, or while the database does not answer. */
export const plainFailure = async (request: Request, refusal: Refusal): Promise<Response> => {
  const status = statusOf[refusal.code];
  if (wantsJson(request)) return jsonAnswer(refusalAsJson(refusal), status, refusal.headers);
  const assets = await loadAssets();
  const visit = {
    request,
    path: '',
    parameters: {},
    query: new URLSearchParams(),
    session: undefined,
  } as OpenVisit;
  const main = (
    <Card title={failureTitle(refusal)}>
      <Failure request={request} refusal={refusal} owners={[]} />
    </Card>
  );
  const frame = {
    visit,
    admits: () => false,
    policyOf: () => undefined,
    ...rowFrameAt(new Date()),
  };
  const shown = { title: failureTitle(refusal), main };
  const text = documentText(<OpenDocument shown={shown} frame={frame} assets={assets} />);
  return htmlAnswer(text, status, request, refusal.headers);
};

/** The description of the server, for programs that ask at its root. */
export const describeServer = () =>
  jsonAnswer(
    {
      name: 'Matterhorn',
      version,
      api: '/v1',
      description: '/docs/json',
      documents: '/docs',
    },
    200,
  );
