/** A real mail server for tests: it keeps what it accepts, and can refuse, put off, hang or hang up. */

import type { AddressInfo } from 'node:net';
import type postgres from 'postgres';
import { SMTPServer, type SMTPServerOptions } from 'smtp-server';
import { atEnd } from './at-end.ts';
import { type Made, makeCertificate } from './certificate.ts';
import { type Clock, takeClock } from './clock.ts';
import { connect, ownDatabase } from './database.ts';
import { startTestServer } from './firm.ts';
import { untilItDoes } from './until.ts';

/** A mail as it came in. */
export type Came = {
  from: string;
  to: string[];
  /** The headers by their names in small letters, each with its whole value. */
  headers: Map<string, string>;
  raw: string;
  /** The same with what was encoded for the way. */
  text: string;
  /** Who signed in to send it, and whether the connection was encrypted. */
  user: string | undefined;
  isSecure: boolean;
};

/** What the server says instead of yes. */
export type No = { code: number; words: string };

/** How the server ends a mail: it accepts it, answers with a code, hangs, or hangs up. */
export type Answer = 'accept' | 'hang' | 'drop' | 'keep and hang' | 'keep and drop' | No;

type Ways = {
  host?: string;
  /** The certificate of its encryption; without one it offers none. */
  certificate?: Made | undefined;
  /** Whether it is encrypted from the first byte (`smtps://`), instead of by STARTTLS. */
  isEncrypted?: boolean;
  user?: { name: string; password?: string; token?: string };
  port?: number;
};

/** It greets at once, if at all. Otherwise it would wait a tenth of a second, to find out who talks too early. */
class PromptServer extends SMTPServer {
  greets = () => true;
  override connect(...given: Parameters<SMTPServer['connect']>) {
    super.connect(...given);
    const newest = [...this.connections].at(-1);
    if (!newest) return;
    const greet = newest.connectionReady.bind(newest);
    newest.connectionReady = () => {};
    if (this.greets()) setImmediate(greet);
  }
}

export const startMailServer = async ({
  host = '127.0.0.1',
  isEncrypted = false,
  user,
  port = 0,
  ...ways
}: Ways = {}) => {
  const certificate = 'certificate' in ways ? ways.certificate : makeCertificate();
  const mails: Came[] = [];
  const tries: string[] = [];
  let answer: (to: string, tried: number, messageId: string) => Answer | Promise<Answer> = () =>
    'accept';
  let refusal: (to: string) => No | undefined = () => undefined;
  let greets = () => true;
  const options: SMTPServerOptions = {
    ...(certificate && { key: certificate.key, cert: certificate.certificate }),
    secure: isEncrypted,
    disabledCommands: [...(certificate ? [] : ['STARTTLS']), ...(user ? [] : ['AUTH'])],
    authMethods: ['PLAIN', 'XOAUTH2'],
    authOptional: !user,
    allowInsecureAuth: false,
    closeTimeout: 100,
    disableReverseLookup: true,
    onAuth(auth, _session, done) {
      const isRight =
        auth.username === user?.name &&
        (auth.method === 'XOAUTH2'
          ? user?.token !== undefined && auth.accessToken === user.token
          : user?.password !== undefined && auth.password === user.password);
      if (isRight) return done(null, { user: auth.username });
      const echo = String(auth.password ?? auth.accessToken);
      done(Object.assign(new Error(`5.7.8 Not you: ${echo}`), { responseCode: 535 }));
    },
    onRcptTo({ address }, _session, done) {
      const no = refusal(address);
      done(no && Object.assign(new Error(no.words), { responseCode: no.code }));
    },
    onData(stream, session, done) {
      const chunks: Buffer[] = [];
      stream.on('data', (chunk: Buffer) => chunks.push(chunk));
      stream.on('end', async () => {
        const raw = Buffer.concat(chunks).toString();
        const to = session.envelope.rcptTo.map(({ address }) => address);
        const mailFrom = session.envelope.mailFrom;
        const came: Came = {
          from: mailFrom ? mailFrom.address : '',
          to,
          headers: headersOf(raw),
          raw,
          text: decoded(raw),
          user: session.user as string | undefined,
          isSecure: session.secure,
        };
        const messageId = came.headers.get('message-id') ?? '';
        tries.push(messageId);
        const said = await answer(String(to[0]), tries.length, messageId);
        if (said === 'keep and drop' || said === 'keep and hang') mails.push(came);
        if (said === 'hang' || said === 'keep and hang') return;
        if (said === 'drop' || said === 'keep and drop') return hangUp(session);
        if (typeof said === 'object') {
          return done(Object.assign(new Error(said.words), { responseCode: said.code }));
        }
        mails.push(came);
        done(null, `2.0.0 Ok: queued as Q${mails.length}`);
      });
    },
  };
  const start = async (at: number) => {
    const started = new PromptServer({ ...options, logger: false });
    started.greets = () => greets();
    started.on('error', () => {});
    await new Promise<void>((resolve) => started.listen(at, host, resolve));
    return started;
  };
  let server = await start(port);
  const hangUp = ({ id }: { id: string }) => {
    for (const one of server.connections) if (one.id === id) one._socket.destroy();
  };
  const stop = () => new Promise<void>((resolve) => server.close(() => resolve()));
  atEnd(stop);
  const here = (server.server.address() as AddressInfo).port;
  const signIn = user ? `${user.name}:${user.password}@` : '';
  return {
    host,
    port: here,
    /** What a server is told that sends by it. */
    environment: {
      MAIL_URL: `${isEncrypted ? 'smtps' : 'smtp'}://${signIn}${host}:${here}`,
      MAIL_FROM: 'office@harrow.example',
    },
    /** What it accepted. */
    mails,
    /** The Message-ID of each try that came as far as the mail itself. */
    tries,
    /** From now on it answers a mail to somebody, its nth try of all, in this way. */
    answerWith(next: typeof answer) {
      answer = next;
    },
    /** From now on it refuses these recipients, before it has seen the mail. */
    refuseWith(next: typeof refusal) {
      refusal = next;
    },
    /** From now on it says nothing to who connects while this is false. */
    greetWhile(next: typeof greets) {
      greets = next;
    },
    /** Whether nobody is connected to it. */
    isIdle: () => server.connections.size === 0,
    /** Hangs up on all who are connected to it. */
    hangUpAll() {
      for (const one of server.connections) one._socket.destroy();
    },
    stop,
    /** Starts it again at the same port. Where it is stopped for long, it must have been given one (`freePort`): others get any. */
    async startAgain() {
      server = await start(here);
    },
  };
};

export type MailServer = Awaited<ReturnType<typeof startMailServer>>;

/** Quoted-printable as it was written, if it holds nothing but ASCII. */
const decoded = (raw: string) =>
  raw
    .replaceAll(/=\r\n/g, '')
    .replaceAll(/=([\dA-F]{2})/g, (_, code) => String.fromCharCode(Number.parseInt(code, 16)));

const headersOf = (raw: string) => {
  const head = raw.slice(0, raw.indexOf('\r\n\r\n')).replaceAll(/\r\n[ \t]+/g, ' ');
  return new Map(
    head.split('\r\n').map((line) => {
      const colon = line.indexOf(':');
      return [line.slice(0, colon).toLowerCase(), line.slice(colon + 1).trim()];
    }),
  );
};

/** A database of its own whose clock runs, from a moment on if one is given. */
export const runningDatabase = async (from?: string) => {
  const databaseUrl = await ownDatabase();
  const clock = await takeClock(databaseUrl);
  if (from) await clock.standAt(Date.parse(from));
  await clock.run(1);
  const sql = connect(databaseUrl);
  atEnd(() => sql.end());
  return { databaseUrl, clock, sql };
};

/** A mail server, and a server that sends by it on a database of its own whose clock runs. */
export const startMailing = async ({
  user,
  from,
  environment,
}: Pick<Ways, 'user'> & { from?: string; environment?: Record<string, string> } = {}) => {
  const database = await runningDatabase(from);
  const post = await startMailServer(user && { user });
  const server = await startTestServer({
    databaseUrl: database.databaseUrl,
    environment: { ...environment, ...post.environment },
  });
  return { ...database, post, server };
};

/** Waits until the notices of a firm go out by mail: servers look once a minute whether mail is set up. */
export const untilMailing = async (sql: postgres.Sql, clock: Clock, firmId: string) => {
  await clock.step(61);
  await untilItDoes(
    async () =>
      (await sql`select from firm where id = ${firmId} and mails_since is not null`).length > 0,
  );
};
