/**
 * A load of keep-alive clients over plain sockets: as little work of its own as possible. It runs
 * in the benchmark's own process, and so shares the machine with what it measures. wrk does the same
 * for a quarter of the CPU (`wrk.ts`).
 */
import net from 'node:net';

/** What a run of the load measured. Latencies in milliseconds; `load`: the load's own CPU per request. */
export type Measured = {
  perSecond: number;
  p50: number;
  p99: number;
  requests: number;
  failed: number;
  load: number;
};

/** A request as the load sends it; the body is JSON. */
export type LoadRequest = { method: string; path: string; key: string; body?: string };

/**
 * Sends the same request, or several in turn, again and again, from this many clients for this
 * long.
 */
export const measure = async (
  url: string,
  request: LoadRequest | LoadRequest[],
  clients: number,
  seconds: number,
): Promise<Measured> => {
  const { hostname, port, host } = new URL(url);
  const sendings = [request].flat().map((one) => bytesOf(one, host));
  const latencies: number[] = [];
  let sent = 0;
  let failed = 0;
  const used = process.cpuUsage();
  const start = performance.now();
  const end = start + seconds * 1000;

  const client = () =>
    new Promise<void>((resolve, reject) => {
      const socket = net.connect(Number(port), hostname);
      let isOver = false;
      let sentAt = 0;
      let received = '';
      let missing = -1;
      const send = () => {
        received = '';
        missing = -1;
        const bytes = sendings[sent % sendings.length] as Buffer;
        sent += 1;
        sentAt = performance.now();
        socket.write(bytes);
      };
      socket.setNoDelay(true);
      socket.on('connect', send);
      socket.on('error', reject);
      socket.on('close', () => {
        if (!isOver) reject(new Error(`${host} closed a connection under load.`));
      });
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
        isOver = true;
        socket.destroy();
        resolve();
      });
    });

  await Promise.all(Array.from({ length: clients }, client));
  const tookSeconds = (performance.now() - start) / 1000;
  const requests = latencies.length;
  const { user, system } = process.cpuUsage(used);
  const load = (user + system) / 1000 / requests;
  return { perSecond: requests / tookSeconds, ...spreadOf(latencies), requests, failed, load };
};

const bytesOf = ({ method, path, key, body }: LoadRequest, host: string) =>
  Buffer.from(
    `${method} ${path} HTTP/1.1\r\nhost: ${host}\r\nauthorization: Bearer ${key}\r\n` +
      (body
        ? `content-type: application/json\r\ncontent-length: ${Buffer.byteLength(body)}\r\n\r\n${body}`
        : '\r\n'),
  );

/** The median and the 99th percentile of latencies. */
export const spreadOf = (latencies: number[]) => {
  const sorted = latencies.toSorted((a, b) => a - b);
  const at = (share: number) => sorted[Math.floor((sorted.length - 1) * share)] ?? 0;
  return { p50: at(0.5), p99: at(0.99) };
};

/** The middle one of an odd number of figures. */
export const median = (figures: number[]) =>
  figures.toSorted((a, b) => a - b)[Math.floor(figures.length / 2)] ?? 0;
