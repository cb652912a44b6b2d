import { join } from 'node:path';

/** A statement with the place in src/ that declares it. */
export type Declared = { file: string; text: string };

/** Every statement that the program declares. Those made for one search or one order of a list are not. */
export const everyStatement = async (): Promise<Declared[]> => {
  const listing = Bun.spawn({
    cmd: [process.execPath, join(import.meta.dir, 'every-statement.ts')],
    cwd: join(import.meta.dir, '../..'),
    stderr: 'inherit',
  });
  return (await new Response(listing.stdout).json()) as Declared[];
};
