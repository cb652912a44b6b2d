/** What docs/administrators.md and the pages that it leads to say to type. */
import { join } from 'node:path';

type Page = 'administrators' | 'backups' | 'scaling';

const textOf = (page: Page) =>
  Bun.file(join(import.meta.dir, '../../../docs', `${page}.md`)).text();

const pages: Record<Page, string> = {
  administrators: await textOf('administrators'),
  backups: await textOf('backups'),
  scaling: await textOf('scaling'),
};

/** The blocks of a language under a heading of any level, up to the next heading. */
export const blocksUnder = (heading: string, language: string, page: Page): string[] => {
  const sections = pages[page]
    .split(/^#+ (?=.*\n\n)/m)
    .filter((text) => text.startsWith(`${heading}\n`));
  if (sections.length !== 1) throw new Error(`${page}.md has ${sections.length} × ${heading}.`);
  // Blocks in a list are indented.
  return [...(sections[0] ?? '').matchAll(/^( *)```(\w*)\n(.*?)^ *```$/gms)]
    .filter(([, , found]) => found === language)
    .map(([, indent, , lines]) =>
      (lines ?? '').replaceAll(new RegExp(`^${indent}`, 'gm'), '').trim(),
    );
};

/** The blocks of shell lines under a heading. */
export const linesUnder = (heading: string, page: Page = 'administrators'): string[] =>
  blocksUnder(heading, 'sh', page);
