import type { VNode } from 'preact';

/** The headings of the contents, in order. */
export const groups = ['Start', 'Guides', 'Recipes', 'Reference'] as const;
export type Group = (typeof groups)[number];

/** A page of the documents. `${path}.md` is the same in Markdown. */
export type Page = {
  path: string;
  title: string;
  /** One sentence, for lists of pages. */
  summary: string;
  group: Group;
  /** A page that the contents do not list names the one which does. */
  within?: string;
  markdown: string;
  main(): VNode;
};

/** A list of pages as Markdown. */
export const linksTo = (pages: readonly Page[]) =>
  pages.map(({ path, title, summary }) => `- [${title}](${path}.md): ${summary}`).join('\n');
