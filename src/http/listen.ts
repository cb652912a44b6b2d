import { isQuiet, log, millisecondsSince } from '../base/log.ts';
import { noteAnswered } from './answered.ts';
import { callerOf } from './caller.ts';
import type { Door } from './door.ts';
import type { Port } from './port.ts';
import { patternFinder } from './routes.ts';
import { strictTransport } from './strict-transport.ts';
import { pathOf } from './target.ts';

/** How one request was answered: no path, no query and no body, which may hold clients' names. */
export type Answered = {
  requestId: string | null;
  method: string;
  /** The pattern of its route, for example `/v1/leads/:id`; `none` if it has no route. */
  route: string;
  status: number;
  milliseconds: number;
  firmId: string | undefined;
  keyId: string | null | undefined;
};

/** An open port. The door that answers may change while it is open. */
type Listener = {
  /** Where it listens, for example `http://127.0.0.1:3000`. */
  url: string;
  /** How many requests are not answered yet. */
  inFlight(): number;
  /** Lets another door answer from now on, including requests that waited for it. */
  answerWith(door: Door): void;
  /**
   * From now on, every answer asks its client to close the connection, so that none is cut in use.
   */
  letGo(): void;
  /** Accepts no more requests. Resolves when those in flight are answered, after 10 s at most. */
  close(): Promise<void>;
};

type Compiled = ReturnType<Door['compile']>;

// Usually the database is ready very soon. A restart then shows only as one slow answer.
const patienceMilliseconds = 2_000;
// A client that never reads its answer must not keep the server from stopping.
const closeMilliseconds = 10_000;

/**
 * Listens. `door` answers first; a request that it has no route for waits a moment for the next
 * door. Each request is logged and reported to `onAnswered`. `isStrict` says whose answers insist on
 * HTTPS.
 */
export const listen = (
  port: Port,
  door: Door,
  onAnswered: (answered: Answered) => void,
  isStrict: (request: Request) => boolean,
): Listener => {
  let beginning: Compiled | undefined;
  let following: Compiled | undefined;
  let patternOf = patternFinder(door.routes);
  const followed = Promise.withResolvers<void>();
  let inFlight = 0;
  let isLettingGo = false;

  const answer = async (request: Request, isLeaving: boolean): Promise<Response> => {
    const began = performance.now();
    const pathname = pathOf(request);
    inFlight += 1;
    try {
      if (!following && patternOf(pathname) === 'none')
        await Promise.race([followed.promise, Bun.sleep(patienceMilliseconds)]);
      const response: Response = await (following ?? begun()).fetch(request);
      // Behind a CONNECT, Bun treats what follows as a tunnel's and reads no further request.
      if (isLeaving || isLettingGo || request.method === 'CONNECT' || asksToClose(request))
        response.headers.set('connection', 'close');
      if (isStrict(request)) response.headers.set('strict-transport-security', strictTransport);
      const caller = callerOf(request);
      const answered = {
        requestId: response.headers.get('x-request-id'),
        method: methodOf(request),
        route: patternOf(pathname),
        status: response.status,
        milliseconds: millisecondsSince(began),
        firmId: caller?.firmId,
        keyId: caller?.keyId,
      };
      if (!isQuiet()) log(levelOf(answered), 'request', answered);
      onAnswered(answered);
      return response;
    } finally {
      noteAnswered(request);
      inFlight -= 1;
    }
  };

  // Usually no request comes this early.
  const begun = () => {
    if (!beginning) {
      beginning = door.compile();
      door.server = port.server;
    }
    return beginning;
  };

  port.answerWith(answer);
  return {
    url: port.url,
    inFlight: () => inFlight,
    answerWith(next) {
      patternOf = patternFinder(next.routes);
      following = next.compile();
      // The gate reads the caller's address from it. Elysia then owns the server, and would put
      // itself in our place when it compiles.
      next.server = port.server;
      followed.resolve();
    },
    letGo() {
      isLettingGo = true;
    },
    async close() {
      await Promise.race([port.stop(), Bun.sleep(closeMilliseconds)]);
      await port.close();
    },
  };
};

/**
 * Whoever asks `/readyz` whether the server is ready gets an answer, not a failure, when it is not:
 * during every start, for example.
 */
const levelOf = ({ status, route }: Answered) =>
  status >= 500 && route !== '/readyz' ? 'error' : 'info';

/**
 * Whether a request says that it is the last one on its connection. Bun then closes the connection
 * without saying so. A client that is not told sends its next request into a closing connection.
 */
const asksToClose = ({ headers }: Request) =>
  /(^|,)\s*close\s*(,|$)/i.test(headers.get('connection') ?? '');

const methods = new Set(['GET', 'HEAD', 'POST', 'PATCH', 'DELETE', 'PUT', 'OPTIONS']);

/** A method may be any word that the caller makes up. */
const methodOf = ({ method }: Request) => (methods.has(method) ? method : 'OTHER');
