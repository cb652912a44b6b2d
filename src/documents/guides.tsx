/** @jsxImportSource preact */
import contract from '../../docs/contract.md' with { type: 'text' };
import integrators from '../../docs/integrators.md' with { type: 'text' };
import recipes from '../../docs/recipes.md' with { type: 'text' };
import { Guide } from './guide.tsx';
import type { Group, Page } from './page.ts';
import { anchorOf, firstSentence, plain, sectionsOf } from './sections.ts';

type Chapter = { file: string; path: string; title: string; group: Group; text: string };

/** The sections of a file of the repository that is a book: each is a page. */
const chaptersOf = (file: string, text: string, groupOf: (at: number) => Group): Chapter[] =>
  text
    .split(/^(?=## )/m)
    .slice(1)
    .map((section, at) => {
      const [heading = '', ...lines] = section.split('\n');
      const title = plain(heading.slice(3));
      return {
        file,
        path: `/docs/${anchorOf(title)}`,
        title,
        group: groupOf(at),
        // A page has one first heading, and its sections are the next below.
        text: `# ${title}\n${raised(lines)}`,
      };
    });

/** Headings one level higher. Within code, `#` is no heading. */
const raised = (lines: string[]) => {
  let isCode = false;
  return lines
    .map((line) => {
      if (line.startsWith('```')) isCode = !isCode;
      return isCode ? line : line.replace(/^#(#+ )/, '$1');
    })
    .join('\n');
};

/** The first chapters of the integrators' book are what everybody begins with. */
const firstChapters = 2;

const chapters: Chapter[] = [
  ...chaptersOf('integrators.md', integrators, (at) => (at < firstChapters ? 'Start' : 'Guides')),
  ...chaptersOf('recipes.md', recipes, () => 'Recipes'),
  {
    file: 'contract.md',
    path: '/docs/contract',
    title: 'The contract',
    group: 'Reference',
    text: contract,
  },
];

/** Where a link of a file leads among the pages. Undefined: to what the server does not serve. */
const targetOf = (href: string, from: Chapter): string | undefined => {
  if (/^https?:\/\/|^\//.test(href)) return href;
  const [file, anchor = ''] = href.split('#');
  const found = chapters
    .filter((chapter) => chapter.file === (file || from.file))
    .find(({ text }) => !anchor || sectionsOf(text).some((one) => one.anchor === anchor));
  if (!found) return undefined;
  return anchor && anchor !== anchorOf(found.title) ? `${found.path}#${anchor}` : found.path;
};

/** A chapter's Markdown with links to pages. What leads elsewhere in the repository keeps its words. */
const linked = (chapter: Chapter, ending: string) =>
  chapter.text.replaceAll(/\[([^\]]+)\]\(([^)\s]+)\)/g, (_, words: string, href: string) => {
    const target = targetOf(href, chapter);
    return target ? `[${words}](${target.replace(/^(\/docs[^#]*)/, `$1${ending}`)})` : words;
  });

/** The first sentence below a title. */
const beginningOf = (text: string) => firstSentence(text.split(/\n{2,}/)[1] ?? '');

/** The guides, the recipes and the contract: a page for each chapter of docs/. */
export const guides: Page[] = chapters.map((chapter) => ({
  path: chapter.path,
  title: chapter.title,
  summary: beginningOf(chapter.text),
  group: chapter.group,
  markdown: linked(chapter, '.md'),
  main: () => <Guide text={linked(chapter, '')} />,
}));
