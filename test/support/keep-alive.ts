/** An HTTP client that keeps its connection, and knows of each failure how far the request had come. */
import net from 'node:net';

/** An answer, or how there came to be none: not connected, no byte of it came, or not all of it. */
export type Outcome =
  | { status: number; headers: Record<string, string>; text: string }
  | { failure: 'refused' | 'unanswered' | 'cut' };

export type KeepAliveClient = {
  /** Sends one request; opens a connection where none is left to use. */
  send(
    method: string,
    path: string,
    headers?: Record<string, string>,
    body?: string,
  ): Promise<Outcome>;
  close(): void;
};

/** A client of whatever listens on one of these ports, another one each time it has to connect. */
export const keepAliveClient = (ports: number[]): KeepAliveClient => {
  let socket: net.Socket | undefined;
  let next = Math.floor(Math.random() * ports.length);

  const connect = () =>
    new Promise<net.Socket | undefined>((resolve) => {
      next = (next + 1) % ports.length;
      const dialled = net.connect(ports[next] ?? 0, '127.0.0.1');
      dialled.setNoDelay(true);
      dialled.once('connect', () => resolve(dialled));
      // Everyone who waits for an answer is told of its end.
      dialled.on('error', () => resolve(undefined));
    });

  /** Reads one answer. Its headers say whether the connection may be used again. */
  const read = (from: net.Socket) =>
    new Promise<Outcome>((resolve) => {
      let received = Buffer.alloc(0);
      const finish = (outcome: Outcome) => {
        from.off('data', take).off('close', end).off('error', end);
        if ('failure' in outcome || outcome.headers.connection === 'close') {
          from.destroy();
          socket = undefined;
        }
        resolve(outcome);
      };
      const take = (chunk: Buffer) => {
        received = Buffer.concat([received, chunk]);
        const answer = parse(received);
        if (answer) finish(answer);
      };
      const end = () => finish({ failure: received.length > 0 ? 'cut' : 'unanswered' });
      from.on('data', take).on('close', end).on('error', end);
    });

  return {
    async send(method, path, headers = {}, body = '') {
      if (!socket || socket.destroyed) socket = await connect();
      if (!socket) return { failure: 'refused' };
      const lines = Object.entries({ host: 'localhost', ...headers }).map((pair) =>
        pair.join(': '),
      );
      if (body) lines.push(`content-length: ${Buffer.byteLength(body)}`);
      const answer = read(socket);
      socket.write(`${method} ${path} HTTP/1.1\r\n${lines.join('\r\n')}\r\n\r\n${body}`);
      return answer;
    },
    close: () => void socket?.destroy(),
  };
};

const parse = (received: Buffer): Outcome | undefined => {
  const end = received.indexOf('\r\n\r\n');
  if (end < 0) return undefined;
  const [start = '', ...lines] = received.subarray(0, end).toString().split('\r\n');
  const headers = Object.fromEntries(
    lines.map((line) => [
      line.slice(0, line.indexOf(':')).toLowerCase(),
      line.slice(line.indexOf(':') + 1).trim(),
    ]),
  );
  const length = Number(headers['content-length'] ?? 0);
  const body = received.subarray(end + 4);
  if (body.length < length) return undefined;
  return { status: Number(start.split(' ')[1]), headers, text: body.toString() };
};
