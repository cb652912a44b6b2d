/** A load of keep-alive clients over plain sockets: as little work of its own as possible. */
import net from 'node:net';

/** What a run of the load measured. Latencies in milliseconds. */
export type Measured = { perSecond: number; p50: number; p99: number; failed: number };

/** Sends the same request again and again from so many clients for so long. */
export const measure = async (
  url: string,
  request: { method: string; path: string; key: string; body?: string },
  clients: number,
  seconds: number,
): Promise<Measured> => {
  const { hostname, port, host } = new URL(url);
  const bytes = Buffer.from(
    `${request.method} ${request.path} HTTP/1.1\r\nhost: ${host}\r\nauthorization: Bearer ${request.key}\r\n` +
      (request.body
        ? `content-type: application/json\r\ncontent-length: ${Buffer.byteLength(request.body)}\r\n\r\n${request.body}`
        : '\r\n'),
  );
  const latencies: number[] = [];
  let failed = 0;
  const start = performance.now();
  const end = start + seconds * 1000;

  const client = () =>
    new Promise<void>((resolve, reject) => {
      const socket = net.connect(Number(port), hostname);
      let sentAt = 0;
      let received = '';
      let missing = -1;
      const send = () => {
        sentAt = performance.now();
        received = '';
        missing = -1;
        socket.write(bytes);
      };
      socket.setNoDelay(true);
      socket.on('connect', send);
      socket.on('error', reject);
      socket.on('data', (chunk) => {
        if (missing < 0) {
          received += chunk.toString('latin1');
          const headEnd = received.indexOf('\r\n\r\n');
          if (headEnd < 0) return;
          const length = Number(/content-length: *(\d+)/i.exec(received)?.[1] ?? 0);
          missing = length - (received.length - headEnd - 4);
        } else {
          missing -= chunk.length;
        }
        if (missing > 0) return;
        const now = performance.now();
        latencies.push(now - sentAt);
        if (received[9] !== '2') failed += 1;
        if (now < end) return send();
        socket.destroy();
        resolve();
      });
    });

  await Promise.all(Array.from({ length: clients }, client));
  const tookSeconds = (performance.now() - start) / 1000;
  latencies.sort((a, b) => a - b);
  const at = (share: number) => latencies[Math.floor((latencies.length - 1) * share)] ?? 0;
  return { perSecond: latencies.length / tookSeconds, p50: at(0.5), p99: at(0.99), failed };
};

/** The middle one of an odd number of figures. */
export const median = (figures: number[]) =>
  [...figures].sort((a, b) => a - b)[Math.floor(figures.length / 2)] ?? 0;
