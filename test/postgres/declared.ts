import { join } from 'node:path';

/**
 * A statement with the place in src/ that declares it: for one Postgres, for a spread database, and if it
 * looks through all firms, for one node of that.
 */
export type Declared = { file: string; text: string; spread: string; node: string | null };

/** Every statement that the program declares. Those made for one search or one order of a list are not. */
export const everyStatement = async (): Promise<Declared[]> => {
  const listing = Bun.spawn({
    cmd: [process.execPath, join(import.meta.dir, 'every-statement.ts')],
    cwd: join(import.meta.dir, '../..'),
    stderr: 'inherit',
  });
  return (await new Response(listing.stdout).json()) as Declared[];
};
