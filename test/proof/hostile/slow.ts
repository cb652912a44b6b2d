/** Connections that are opened and left, and bodies that come a byte a second. */
import net from 'node:net';

/** How many of those asked for stand, and how long each was let stand. */
export type Held = {
  opened: number;
  refused: number;
  /** Seconds until the server closed each; those it has not closed are missing. */
  cutAfterSeconds: number[];
  letGo(): void;
};

/** Opens this many connections and sends nothing, or half of a request's head. */
export const openHalf = async (url: string, connections: number): Promise<Held> => {
  const starts = ['', 'G', 'GET /v1/leads HTTP/1.1\r\nHost: a\r\nX-Half: ', 'POST /v1/lea'];
  return hold(url, connections, (socket, index) => {
    const start = starts[index % starts.length];
    if (start) socket.write(start);
  });
};

/** Opens this many connections. Each sends a request's body, or its head, a byte a second. */
export const drip = async (url: string, connections: number, key: string): Promise<Held> => {
  const lines = `Host: a\r\nAuthorization: Bearer ${key}\r\nContent-Type: application/json\r\n`;
  const head = `POST /v1/leads HTTP/1.1\r\n${lines}`;
  const ours = 'Sec-Fetch-Site: same-origin\r\nContent-Type: application/x-www-form-urlencoded\r\n';
  const form = `POST /sign-in HTTP/1.1\r\nHost: a\r\n${ours}`;
  const starts = [
    `${head}Content-Length: 900\r\n\r\n`,
    `${head}Transfer-Encoding: chunked\r\n\r\n`,
    head.slice(0, 40),
    `POST /v1/matters HTTP/1.1\r\n${lines}Content-Length: 9000000\r\n\r\n`,
    `${form}Content-Length: 900\r\n\r\n`,
    `${form}Transfer-Encoding: chunked\r\n\r\n`,
  ];
  const drops = ['x', '1\r\nx\r\n', 'a', 'x', 'x', '1\r\nx\r\n'];
  const timers: Timer[] = [];
  const held = await hold(url, connections, (socket, index) => {
    socket.write(starts[index % starts.length] ?? '');
    const timer = setInterval(() => socket.write(drops[index % drops.length] ?? ''), 1_000);
    timers.push(timer);
    socket.on('close', () => clearInterval(timer));
  });
  return {
    ...held,
    letGo() {
      for (const timer of timers) clearInterval(timer);
      held.letGo();
    },
  };
};

const atOnce = 200;

const hold = async (
  url: string,
  connections: number,
  begin: (socket: net.Socket, index: number) => void,
): Promise<Held> => {
  const { hostname, port } = new URL(url);
  const sockets: net.Socket[] = [];
  const cutAfterSeconds: number[] = [];
  let opened = 0;
  let refused = 0;
  const one = (index: number) =>
    new Promise<void>((resolve) => {
      const socket = net.connect(Number(port), hostname);
      sockets.push(socket);
      let since = 0;
      socket.on('connect', () => {
        opened += 1;
        since = performance.now();
        begin(socket, index);
        resolve();
      });
      socket.on('data', () => {});
      socket.on('error', () => {
        if (since === 0) refused += 1;
        resolve();
      });
      socket.on('close', () => {
        if (since > 0) cutAfterSeconds.push((performance.now() - since) / 1_000);
      });
    });
  for (let from = 0; from < connections; from += atOnce)
    await Promise.all(
      Array.from({ length: Math.min(atOnce, connections - from) }, (_, index) => one(from + index)),
    );
  return {
    opened,
    refused,
    cutAfterSeconds,
    letGo() {
      for (const socket of sockets) socket.removeAllListeners('close').destroy();
    },
  };
};
