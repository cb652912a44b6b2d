/** A flood of wrong keys, and honest callers at the same address. */
import net from 'node:net';
import { newSecret } from '../../../src/api-keys/secret.ts';
import { openClient } from './wire.ts';

const clients = 16;

/** What the wrong keys were told, by status, and how many of them a second. */
export type Flooded = { statuses: Map<number, number>; perSecond: number };

/** Tries keys that nobody has, as fast as it goes, until told to stop. */
export const floodWithKeys = (url: string) => {
  const { host } = new URL(url);
  const statuses = new Map<number, number>();
  const since = performance.now();
  let isOver = false;
  const client = async () => {
    const { exchange, close } = openClient(url);
    while (!isOver) {
      const line = `GET /v1/leads HTTP/1.1\r\nHost: ${host}\r\nAuthorization: Bearer ${newSecret()}`;
      const { answers } = await exchange(Buffer.from(`${line}\r\n\r\n`), 'GET', false);
      const status = answers[0]?.status ?? 0;
      statuses.set(status, (statuses.get(status) ?? 0) + 1);
    }
    close();
  };
  const running = Promise.all(Array.from({ length: clients }, client));
  return async (): Promise<Flooded> => {
    isOver = true;
    await running;
    const count = [...statuses.values()].reduce((sum, one) => sum + one, 0);
    return { statuses, perSecond: Math.round((count / (performance.now() - since)) * 1_000) };
  };
};

/** The status that a key gets, asking from an address of this machine's own. */
export const statusFrom = (url: string, localAddress: string, key: string): Promise<number> =>
  new Promise((resolve, reject) => {
    const { hostname, port, host } = new URL(url);
    const socket = net.connect({ port: Number(port), host: hostname, localAddress }, () =>
      socket.write(
        `GET /v1/leads HTTP/1.1\r\nHost: ${host}\r\nAuthorization: Bearer ${key}\r\nConnection: close\r\n\r\n`,
      ),
    );
    socket.on('error', reject);
    socket.on('data', (chunk) => {
      resolve(Number(chunk.toString('latin1').split(' ')[1]));
      socket.destroy();
    });
  });
