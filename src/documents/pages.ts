import type { Description } from './description.ts';
import { guides } from './guides.tsx';
import { homeOf } from './home.tsx';
import { groups, linksTo, type Page } from './page.ts';
import { referenceOf } from './reference.tsx';

/** Every page of the documents, in the order of the contents. */
export const pagesOf = (description: Description): Page[] => {
  const others = [...guides, ...referenceOf(description)];
  return [homeOf(others), ...others];
};

const beginning = `# Matterhorn

> The API of a law firm's practice-management server: its leads, matters, contacts, tasks, calendar events and notes, and what happens to them.

Each page is Markdown. The API's description is [OpenAPI 3.1](/v1/openapi.json).`;

/** `/llms.txt` (llmstxt.org): every page with its address and what it says. */
export const listForPrograms = (pages: readonly Page[]) =>
  `${[
    beginning,
    ...groups.flatMap((group) => [
      `## ${group}`,
      linksTo(pages.filter((one) => one.group === group)),
    ]),
  ].join('\n\n')}\n`;

/** `/llms-full.txt`: every page, one after the other. */
export const allForPrograms = (pages: readonly Page[]) =>
  `${[beginning, ...pages.map(({ markdown }) => markdown.trim())].join('\n\n')}\n`;
