/** A member at the application's door without a browser: pages are fetched, forms are posted. */
import { readSettings } from '../../src/config.ts';
import { openDatabase } from '../../src/postgres/pool.ts';
import { administrator } from '../../src/record/actor.ts';
import { write } from '../../src/record/write.ts';
import { startSession } from '../../src/sign-in/session.ts';

/** A page or what a form was answered. */
export type PageAnswer = { status: number; text: string; location: string | null };

export type Visitor = {
  get(path: string): Promise<PageAnswer>;
  /** Sends a form as a browser without a script does; a list sends its name several times. */
  post(
    path: string,
    fields?: Record<string, string | string[]>,
    headers?: Record<string, string>,
  ): Promise<PageAnswer>;
  /** Sends a form without fields whose answer is a file to save. */
  save(path: string): Promise<Response>;
  /** Sends a form with a file, under the name `file`. */
  upload(path: string, fields: Record<string, string>, file: File): Promise<PageAnswer>;
};

type Firm = { id: string; members: Record<string, string> };

/** Signs a member in by a session of their own, as if they had just given their password. */
export const visitorOf = async (
  server: { url: string; databaseUrl: string },
  firm: Firm,
  email: string,
): Promise<Visitor> => {
  const memberId = firm.members[email];
  if (!memberId) throw new Error(`${email} is no member of the firm.`);
  const settings = readSettings({ DATABASE_URL: server.databaseUrl });
  const database = openDatabase(settings.database ?? '', 2);
  const token = await write(administrator(database, firm.id), (w) =>
    startSession(w, memberId, { address: '127.0.0.1', agent: 'a test' }, 'password'),
  );
  await database.close();
  return visitorWith(server.url, `__Host-session=${token}`);
};

/** The visitor with this cookie; nobody if it is empty. */
export const visitorWith = (url: string, cookie: string): Visitor => {
  const ask = async (path: string, request: RequestInit): Promise<PageAnswer> => {
    const answer = await fetch(url + path, {
      redirect: 'manual',
      ...request,
      headers: { accept: 'text/html', cookie, ...request.headers },
    });
    return {
      status: answer.status,
      text: await answer.text(),
      location: answer.headers.get('location'),
    };
  };
  return {
    get: (path) => ask(path, {}),
    save: (path) =>
      fetch(url + path, {
        method: 'POST',
        body: new URLSearchParams(),
        headers: { cookie, 'sec-fetch-site': 'same-origin' },
      }),
    upload: (path, fields, file) => {
      const body = new FormData();
      for (const [name, value] of Object.entries(fields)) body.append(name, value);
      body.append('file', file);
      const headers = { 'sec-fetch-site': 'same-origin' };
      return ask(path, { method: 'POST', body, headers });
    },
    post: (path, fields = {}, headers = {}) => {
      const body = new URLSearchParams();
      for (const [name, values] of Object.entries(fields)) {
        for (const value of [values].flat()) body.append(name, value);
      }
      return ask(path, {
        method: 'POST',
        body,
        headers: { 'sec-fetch-site': 'same-origin', ...headers },
      });
    },
  };
};
