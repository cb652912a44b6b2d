/** What docs/administrators.md says to type. */
import { join } from 'node:path';

const guide = await Bun.file(join(import.meta.dir, '../../../docs/administrators.md')).text();

/** The blocks of shell lines under a heading of any level, up to the next heading. */
export const linesUnder = (heading: string): string[] => {
  const sections = guide.split(/^#+ (?=.*\n\n)/m).filter((text) => text.startsWith(`${heading}\n`));
  if (sections.length !== 1)
    throw new Error(`administrators.md has ${sections.length} × ${heading}.`);
  // Blocks in a list are indented.
  return [...(sections[0] ?? '').matchAll(/^( *)```sh\n(.*?)^ *```$/gms)].map(([, indent, lines]) =>
    (lines ?? '').replaceAll(new RegExp(`^${indent}`, 'gm'), '').trim(),
  );
};
