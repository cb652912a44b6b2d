/** @jsxImportSource preact */
import type { ComponentChildren } from 'preact';
import type { Assets } from '../app/assets.ts';
import { Icon, Mark } from '../app/icon.tsx';
import { groups, type Page } from './page.ts';

type Drawn = { page: Page; pages: readonly Page[]; assets: Assets };

/** What stands behind `<html …>` on a page of the documents. */
export const DocumentsPage = ({ page, pages, assets }: Drawn) => (
  <Frame title={page.title} here={page.path} pages={pages} assets={assets}>
    {page.main()}
    <After page={page} pages={pages} />
  </Frame>
);

type FrameProps = {
  title: string;
  here: string;
  query?: string;
  pages: readonly Page[];
  assets: Assets;
  children: ComponentChildren;
};

/** The frame of every page: bar, contents, and the page itself. */
export const Frame = ({ title, here, query, pages, assets, children }: FrameProps) => (
  <>
    <head>
      <meta charset="utf-8" />
      <meta name="viewport" content="width=device-width, initial-scale=1" />
      <meta name="color-scheme" content="light dark" />
      <title>{`${title} · Matterhorn for developers`}</title>
      <link rel="icon" href={assets.icon} type="image/svg+xml" />
      <link rel="stylesheet" href={assets.documentsStyle} />
      <script type="module" src={assets.documentsScript} />
    </head>
    <body>
      <div class="docs">
        <header class="bar">
          <a class="skip" href="#main">
            Skip to the page
          </a>
          <button
            class="button quiet icon-only menu-open"
            type="button"
            popovertarget="contents"
            aria-label="Contents"
          >
            <Icon name="list" />
          </button>
          <a class="firm" href="/docs">
            <Mark />
            <span>
              Matterhorn <span class="of">Developers</span>
            </span>
          </a>
          <form action="/docs/search" role="search">
            <label class="hide" for="q">
              Search the documentation
            </label>
            <Icon name="search" />
            <input
              class="input"
              id="q"
              type="search"
              name="q"
              value={query}
              maxLength={100}
              placeholder="Search the documentation"
              autocomplete="off"
            />
            <kbd aria-hidden>/</kbd>
          </form>
        </header>
        <nav class="docs-side" id="contents" popover="auto" aria-label="Documentation">
          <button
            class="button quiet icon-only menu-close"
            type="button"
            popovertarget="contents"
            popovertargetaction="hide"
            aria-label="Close the contents"
          >
            <Icon name="x" />
          </button>
          <Contents here={here} pages={pages} />
        </nav>
        <main id="main" tabIndex={-1}>
          {children}
        </main>
      </div>
      <div id="toast" class="toast" role="status" />
    </body>
  </>
);

/** The pages by their groups; those within a page are listed while it, or one of them, is read. */
const Contents = ({ here, pages }: Pick<FrameProps, 'here' | 'pages'>) => {
  const opened = pages.find(({ path }) => path === here)?.within ?? here;
  return (
    <>
      {groups.map((group) => (
        <>
          <h2>{group}</h2>
          <ul>
            {pages
              .filter((page) => page.group === group && page.within === undefined)
              .map((page) => (
                <li>
                  <To page={page} here={here} />
                  {page.path === opened && (
                    <Within pages={pages.filter(({ within }) => within === opened)} here={here} />
                  )}
                </li>
              ))}
          </ul>
        </>
      ))}
      <Programs />
    </>
  );
};

const Within = ({ here, pages }: Pick<FrameProps, 'here' | 'pages'>) =>
  pages.length === 0 ? null : (
    <ul class="within">
      {pages.map((page) => (
        <li>
          <To page={page} here={here} />
        </li>
      ))}
    </ul>
  );

const To = ({ page: { path, title }, here }: { page: Page; here: string }) => (
  <a href={path} aria-current={path === here ? 'page' : undefined}>
    {title}
  </a>
);

const Programs = () => (
  <>
    <h2>For programs</h2>
    <ul>
      <li>
        <a href="/v1/openapi.json">openapi.json</a>
      </li>
      <li>
        <a href="/llms.txt">llms.txt</a>
      </li>
    </ul>
  </>
);

/** Where to go from here. */
const After = ({ page, pages }: Omit<Drawn, 'assets'>) => {
  const at = pages.indexOf(page);
  const [before, next] = [pages[at - 1], pages[at + 1]];
  return (
    <footer class="after-doc">
      <nav class="next-prev" aria-label="Next and previous page">
        {before && (
          <a href={before.path}>
            <small>Previous</small>
            {before.title}
          </a>
        )}
        {next && (
          <a class="to-next" href={next.path}>
            <small>Next</small>
            {next.title}
          </a>
        )}
      </nav>
      <p class="small muted">
        <a href={`${page.path}.md`}>This page as Markdown</a>
      </p>
    </footer>
  );
};
