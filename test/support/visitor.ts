/** A member at the application's door without a browser: pages are fetched, forms are posted. */
import { sessionOf } from './session.ts';

/** A page or what a form was answered. */
export type PageAnswer = { status: number; text: string; location: string | null };

export type Visitor = {
  get(path: string, headers?: Record<string, string>): Promise<PageAnswer>;
  /** Sends a form as a browser without a script does; a list sends its name several times. */
  post(
    path: string,
    fields?: Record<string, string | string[]>,
    headers?: Record<string, string>,
  ): Promise<PageAnswer>;
  /** Sends a body as it is, as a form or as anything else. */
  send(path: string, body: BodyInit, headers?: Record<string, string>): Promise<PageAnswer>;
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
  const token = await sessionOf(server, firm, email);
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
  const send: Visitor['send'] = (path, body, headers = {}) =>
    ask(path, { method: 'POST', body, headers: { 'sec-fetch-site': 'same-origin', ...headers } });
  return {
    send,
    get: (path, headers = {}) => ask(path, { headers }),
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
      return send(path, body);
    },
    post: (path, fields = {}, headers = {}) => {
      const body = new URLSearchParams();
      for (const [name, values] of Object.entries(fields)) {
        for (const value of [values].flat()) body.append(name, value);
      }
      return send(path, body, headers);
    },
  };
};
