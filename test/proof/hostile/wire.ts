/** A client that sends bytes as they are, and keeps its connection where the server does. */
import net from 'node:net';

/** One answer as it came: its head as text, its body as bytes. */
export type RawAnswer = { status: number; head: string; body: Buffer };

/** What came of a request: one answer, or several, or none before the connection closed. */
export type Exchange = { answers: RawAnswer[]; end: 'kept' | 'closed' | 'no answer in time' };

const patienceMilliseconds = 15_000;

/** A client with one connection at a time, opened again if the server closed it. */
export const openClient = (url: string) => {
  const { hostname, port } = new URL(url);
  let socket: net.Socket | undefined;

  /**
   * Sends one request and waits for its answer. `isBroken`: its framing is not right, so that the
   * connection is of no use afterwards: it is closed from this side, and all that came is given.
   */
  const exchange = (bytes: Uint8Array, method: string, isBroken: boolean): Promise<Exchange> =>
    new Promise((resolve) => {
      const mine = isBroken || !socket || socket.destroyed ? connect() : socket;
      socket = isBroken ? undefined : mine;
      let received: Buffer = Buffer.alloc(0);
      const settle = (end: Exchange['end']) => {
        clearTimeout(timer);
        mine.removeAllListeners();
        mine.on('error', () => {});
        if (end !== 'kept' || isBroken) {
          mine.destroy();
          if (socket === mine) socket = undefined;
        }
        resolve({ answers: answersIn(received, method, end !== 'kept'), end });
      };
      const timer = setTimeout(
        () => settle('no answer in time'),
        isBroken ? 1_000 : patienceMilliseconds,
      );
      mine.on('data', (chunk: Buffer) => {
        received = received.length === 0 ? chunk : Buffer.concat([received, chunk]);
        const answered = isBroken ? [] : answersIn(received, method, false);
        if (answered.length > 0) settle(answered.some(isLast) ? 'closed' : 'kept');
      });
      mine.on('error', () => settle('closed'));
      mine.on('close', () => settle('closed'));
      mine.write(bytes);
      if (isBroken) mine.end();
    });

  const connect = () => {
    const fresh = net.connect(Number(port), hostname);
    fresh.setNoDelay(true);
    return fresh;
  };
  return { exchange, close: () => socket?.destroy() };
};

const isLast = ({ head }: RawAnswer) => /^connection: *close/im.test(head);

/** The whole answers in what came; `isAll`: nothing more will come, so that an end ends a body. */
const answersIn = (received: Buffer, method: string, isAll: boolean): RawAnswer[] => {
  const answers: RawAnswer[] = [];
  let from = 0;
  while (from < received.length) {
    const headEnd = received.indexOf('\r\n\r\n', from);
    if (headEnd < 0) break;
    const head = received.toString('latin1', from, headEnd);
    const status = Number(/^HTTP\/1\.[01] (\d{3})/.exec(head)?.[1] ?? Number.NaN);
    const bodyStart = headEnd + 4;
    if (status >= 100 && status < 200) {
      from = bodyStart;
      continue;
    }
    const end = bodyEnd(received, bodyStart, head, status, method, isAll);
    if (end === undefined) break;
    const sent = received.subarray(bodyStart, end);
    const body = isChunked(head) && method !== 'HEAD' ? joined(sent) : sent;
    answers.push({ status, head, body });
    from = end;
  }
  return answers;
};

const isChunked = (head: string) => /^transfer-encoding: *chunked/im.test(head);

/** The chunks of a body without their sizes. */
const joined = (sent: Buffer): Buffer => {
  const chunks: Buffer[] = [];
  for (let at = 0; ; ) {
    const line = sent.indexOf('\r\n', at);
    const size = line < 0 ? 0 : Number.parseInt(sent.toString('latin1', at, line), 16);
    if (!(size > 0)) return Buffer.concat(chunks);
    chunks.push(sent.subarray(line + 2, line + 2 + size));
    at = line + 2 + size + 2;
  }
};

const bodyEnd = (
  received: Buffer,
  start: number,
  head: string,
  status: number,
  method: string,
  isAll: boolean,
) => {
  if (method === 'HEAD' || status === 204 || status === 304) return start;
  const length = /^content-length: *(\d+)/im.exec(head)?.[1];
  if (length !== undefined) {
    const end = start + Number(length);
    return end <= received.length ? end : undefined;
  }
  if (isChunked(head)) {
    const end = received.indexOf('0\r\n\r\n', start);
    return end < 0 ? undefined : end + 5;
  }
  return isAll ? received.length : undefined;
};
