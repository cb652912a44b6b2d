/** Sessions for tests that are not about signing in. */
import { administrator } from '../../src/record/actor.ts';
import { write } from '../../src/record/write.ts';
import { startSession } from '../../src/sign-in/session.ts';
import { onDatabase } from './database.ts';

/** The token of a new session of a member's, as if they had just given their password. */
export const sessionOf = async (
  server: { databaseUrl: string },
  firm: { id: string; members: Record<string, string> },
  email: string,
  by: 'password' | 'demonstration' = 'password',
): Promise<string> => {
  const memberId = firm.members[email];
  if (!memberId) throw new Error(`${email} is no member of the firm.`);
  const device = { address: '127.0.0.1', agent: 'a test' };
  return onDatabase(server.databaseUrl, (database) =>
    write(administrator(database, firm.id), (w) => startSession(w, memberId, device, by)),
  );
};
