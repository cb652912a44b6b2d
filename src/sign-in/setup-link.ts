import { sql } from 'drizzle-orm';
import type { Database, Runs } from '../postgres/pool.ts';
import { type Given, statement } from '../postgres/statement.ts';
import type { Write } from '../record/write.ts';
import { linkIsOver } from './link.ts';
import { isToken, newToken } from './token.ts';

/**
 * The token of the link to make the first firm in a browser; undefined if there is a firm. It is
 * stored, so that every start and every instance gives the same one until then.
 */
export const setupToken = async (database: Database): Promise<string | undefined> => {
  // Only reads if there is a firm: a write here needs every node of a spread database.
  if (await database.first(anyFirm)) return undefined;
  await database.run(keepToken, { token: newToken().token });
  return (await database.first(keptToken))?.token;
};

/** Whether a firm can be made by this link at this moment. */
export const isSetupToken = async (database: Runs, token: string): Promise<boolean> =>
  isToken(token) && (await database.first(keptToken))?.token === token;

/**
 * Uses up the link, in the write that makes the firm. Throws `Refusal` not_found if the link no
 * longer works.
 */
export const takeSetupLink = async (w: Write, token: string): Promise<void> => {
  if (!isToken(token) || !(await w.first(takeToken, { token }))) throw linkIsOver();
};

const noFirm = sql.raw('not exists (select from firm)');

const anyFirm = statement(() => sql<{ found: number }>`select 1 as found from firm limit 1`);

const keepToken = statement(
  ({ token }: Given<'token'>) => sql`
    insert into setup_link (token, created_at) select ${token}, moment() where ${noFirm}
    on conflict do nothing`,
);

const keptToken = statement(
  () => sql<{ token: string }>`select token from setup_link where ${noFirm}`,
);

// If two come at once, the second waits for the first one's commit and finds nothing.
const takeToken = statement(
  ({ token }: Given<'token'>) => sql<{ token: string }>`
    delete from setup_link where token = ${token} and ${noFirm} returning token`,
);
