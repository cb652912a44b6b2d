/** Members of a laboratory's firms in a browser. */
import { readSettings } from '../../../src/config.ts';
import { openDatabase } from '../../../src/postgres/pool.ts';
import { administrator } from '../../../src/record/actor.ts';
import { write } from '../../../src/record/write.ts';
import { startSession } from '../../../src/sign-in/session.ts';
import type { BenchFirm } from '../bench/stage.ts';

/** A member's cookie. */
export const cookieOf = async (databaseUrl: string, { id, members }: BenchFirm) => {
  const settings = readSettings({ DATABASE_URL: databaseUrl });
  const database = openDatabase(settings.database ?? '', 2);
  const token = await write(administrator(database, id), (w) =>
    startSession(w, members[0] ?? '', { address: '127.0.0.1', agent: 'a laboratory' }, 'password'),
  );
  await database.close();
  return `__Host-session=${token}`;
};

/** The same for the windows of a browser, which keep no `__Host-` cookie without TLS. */
export const cookieFor = (url: string, cookie: string) => ({
  name: 'session',
  value: cookie.replace(/^[^=]*=/, ''),
  url,
});
