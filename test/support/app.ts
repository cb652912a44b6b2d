/** A browser without a screen: it keeps its cookie, and sends forms as a page of the server's own does. */
import { digestOf } from '../../src/api-keys/secret.ts';
import { connect } from './database.ts';
import { sessionOf } from './session.ts';

export type Seen = { status: number; location: string | null; text: string };

const forgetProof = async (databaseUrl: string, token: string) => {
  const sql = connect(databaseUrl);
  await sql`update session set proven_at = null where digest = ${digestOf(token)}`;
  await sql.end();
};

/** Signs a member in by a session of their own: with a password, just now or long ago, or in a demonstration. */
export const memberBrowser = async (
  server: { url: string; databaseUrl: string },
  firm: { id: string; members: Record<string, string> },
  email: string,
  by: 'password' | 'unproven' | 'demonstration' = 'password',
) => {
  const how = by === 'demonstration' ? by : 'password';
  const token = await sessionOf(server, firm, email, how);
  if (by === 'unproven') await forgetProof(server.databaseUrl, token);
  const ask = async (
    path: string,
    body?: Record<string, string> | [string, string][],
    headers: Record<string, string> = {},
  ): Promise<Seen> => {
    const answer = await fetch(server.url + path, {
      method: body ? 'POST' : 'GET',
      redirect: 'manual',
      headers: {
        accept: 'text/html',
        cookie: `__Host-session=${token}`,
        ...(body && { 'sec-fetch-site': 'same-origin', origin: server.url }),
        ...headers,
      },
      ...(body && { body: new URLSearchParams(body) }),
    });
    const location = answer.headers.get('location');
    return { status: answer.status, location, text: await answer.text() };
  };
  return { get: (path: string) => ask(path), send: ask, cookie: `__Host-session=${token}` };
};
