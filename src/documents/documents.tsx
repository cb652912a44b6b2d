/** @jsxImportSource preact */
import { Elysia } from 'elysia';
import { render } from 'preact-render-to-string';
import { answerFailure } from '../api/errors.ts';
import { refuseMethods } from '../api/methods.ts';
import { plainFailure, wantsHtml } from '../app/answers.tsx';
import { loadAssets } from '../app/assets.ts';
import { htmlAnswer } from '../app/headers.ts';
import { preferencesOf } from '../app/preferences.ts';
import { notFound } from '../base/refusal.ts';
import { remembering } from '../base/remembering.ts';
import type { Settings } from '../config.ts';
import { asRefusal } from '../http/failure.ts';
import { requestIdOf } from '../http/request-id.ts';
import { targetOf } from '../http/target.ts';
import { addressFor, exampleAddress } from './address.ts';
import type { Description } from './description.ts';
import { DocumentsPage, Frame } from './layout.tsx';
import { allForPrograms, listForPrograms, pagesOf } from './pages.ts';
import { Found, placesOf } from './search.tsx';

/** Whether a path belongs to the documents. */
export const isOfDocuments = (pathname: string) =>
  /^\/(?:docs(?:\/|\.md$|$)|llms(?:-full)?\.txt$)/.test(pathname);

/** How many letters of pages are kept. A page that was forgotten is made again. */
const kept = 1_000_000;

/**
 * The documents for integrators, without a key: each page as HTML and as Markdown, and what programs
 * read. They are made from docs/ and the API's description when the first reader comes.
 */
export const documents = (settings: Settings, describe: () => Promise<unknown>) => {
  let loading: ReturnType<typeof make> | undefined;
  const load = () =>
    (loading ??= make().catch((error) => {
      loading = undefined;
      throw error;
    }));
  const make = async () => {
    const pages = pagesOf((await describe()) as Description);
    return {
      pages,
      byPath: new Map(pages.map((page) => [page.path, page])),
      places: once(() => placesOf(pages)),
      assets: await loadAssets(),
      text: remembering<string>(kept, (_, text) => text.length),
    };
  };

  const answer = async (request: Request): Promise<Response> => {
    const { pathname, searchParams } = targetOf(request);
    const { pages, byPath, places, assets, text } = await load();
    const path = pathname.replace(/\/$/, '');
    if (path === '/docs/search') {
      const query = searchParams.get('q')?.trim() ?? '';
      return asHtml(
        request,
        render(
          <Frame title="Search" here={path} query={query} pages={pages} assets={assets}>
            <Found places={places()} query={query} />
          </Frame>,
        ),
      );
    }
    if (path === '/llms.txt') return asText(request, listForPrograms(pages));
    if (path === '/llms-full.txt') return asText(request, allForPrograms(pages));
    const page = byPath.get(path.replace(/\.md$/, ''));
    if (!page) throw notFound('There is no such page. /llms.txt lists them all.');
    if (path.endsWith('.md')) return asText(request, `${page.markdown.trim()}\n`);
    const html = text(path, () => render(<DocumentsPage {...{ page, pages, assets }} />));
    return asHtml(request, html);
  };

  const asHtml = (request: Request, text: string) =>
    htmlAnswer(
      `<!doctype html><html lang="en-GB"${themeOf(request)}>${atAddress(request, text)}</html>`,
      200,
      request,
    );

  const asText = (request: Request, text: string) =>
    new Response(atAddress(request, text), {
      headers: {
        'content-type': 'text/markdown; charset=utf-8',
        'cache-control': 'no-store',
        'x-content-type-options': 'nosniff',
      },
    });

  /** The reader's own server in place of the example. Its address needs no escaping. */
  const atAddress = (request: Request, text: string) =>
    text.replaceAll(exampleAddress, addressFor(settings, request));

  const give = ({ request }: { request: Request }) => answer(request);
  const app = new Elysia({ normalize: false, systemRouter: false })
    .onRequest(({ request, set }) => {
      set.headers['x-request-id'] = requestIdOf(request);
    })
    .onError(({ error, request, set }) => {
      const refused = refuseMethods(app, request, error);
      if (!wantsHtml(request)) return answerFailure(refused, set);
      return plainFailure(request, asRefusal(refused, set.headers['x-request-id']));
    })
    .get('/docs', give)
    .get('/docs.md', give)
    .get('/docs/:page', give)
    .get('/docs/reference/:resource', give)
    .get('/docs/reference/:resource/:operation', give)
    .get('/llms.txt', give)
    .get('/llms-full.txt', give);
  return app;
};

const themeOf = (request: Request) => {
  const { theme } = preferencesOf(request);
  return theme === 'light' || theme === 'dark' ? ` data-theme="${theme}"` : '';
};

/** What is made at the first call, and kept. */
const once = <Made,>(make: () => Made): (() => Made) => {
  let made: { is: Made } | undefined;
  return () => (made ??= { is: make() }).is;
};
