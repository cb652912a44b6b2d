/** @jsxImportSource preact */
import { Markdown } from './markdown.tsx';
import { linksTo, type Page } from './page.ts';

const title = 'Build on Matterhorn';
const summary =
  'Send leads in, read what the firm has, and hear of every change: one key, plain JSON, and nothing ignored in silence.';

/** The first page: the first call, the guides, and the reference. */
export const homeOf = (others: readonly Page[]): Page => {
  const first = others.find(({ path }) => path === '/docs/your-first-lead');
  const sample =
    /^(?:```\w+\n.*?^```\n+)+(?=[^`]*?$)/ms.exec(partOf(first, '## Send it'))?.[0] ?? '';
  const of = (group: Page['group']) =>
    others.filter((page) => page.group === group && page.within === undefined);
  const markdown = [
    `# ${title}`,
    summary,
    ...(['Start', 'Guides', 'Recipes', 'Reference'] as const).flatMap((group) => [
      `## ${group}`,
      linksTo(of(group)),
    ]),
  ].join('\n\n');
  return {
    path: '/docs',
    title: 'Home',
    summary,
    group: 'Start',
    markdown,
    main: () => (
      <div class="doc one">
        <div class="text">
          <h1>{title}</h1>
          <p class="lede">
            {summary} You need a key: an owner creates it under Settings, API keys.
          </p>
          <Markdown text={sample} title="Send a lead" />
          <p>
            The answer is <code>201</code> and the lead, with its number. Send the same request
            again, and the same answer comes back: there is still one lead.{' '}
            <a href="/docs/your-first-lead">Your first lead</a> says where <code>URL</code> and the
            key come from.
          </p>
          <h2 id="guides">Guides</h2>
          <Doors pages={[...of('Start'), ...of('Guides')]} />
          <h2 id="recipes">Recipes</h2>
          <Doors pages={of('Recipes')} />
          <h2 id="reference">Reference</h2>
          <Doors pages={of('Reference')} />
          <p class="muted">
            Every page is also plain Markdown: add <code>.md</code> to its address. Programs start
            at <a href="/llms.txt">llms.txt</a> or <a href="/v1/openapi.json">openapi.json</a>.
          </p>
        </div>
      </div>
    ),
  };
};

/** A page's text from a heading on. */
const partOf = (page: Page | undefined, heading: string) =>
  page?.markdown.slice(page.markdown.indexOf(heading)) ?? '';

const Doors = ({ pages }: { pages: readonly Page[] }) => (
  <ul class="doors">
    {pages.map(({ path, title: name, summary: words }) => (
      <li>
        <a href={path}>
          <b>{name}</b>
          <span>{words}</span>
        </a>
      </li>
    ))}
  </ul>
);
