import { expect, test } from 'bun:test';
import net from 'node:net';
import { comingAgain, type Firm, makeFirm, startTestServer } from '../../support/firm.ts';

const server = await startTestServer();

const createLarge = (firm: Firm) =>
  comingAgain(firm.owner).post('/v1/matters', {
    practiceAreaId: firm.practiceAreas.Family?.id,
    openDate: '2026-02-03',
    description: 'x'.repeat(2 * 1024 * 1024),
  });

/** Sends half of a body of 15 MiB and then nothing; gives what the server says until it closes. */
const sendHalf = (key: string, heldUp: net.Socket[]) => {
  const { hostname, port } = new URL(server.url);
  const head = [
    ...['POST /v1/matters HTTP/1.1', 'Host: a', 'Content-Type: application/json'],
    ...[`Authorization: Bearer ${key}`, `Content-Length: ${15 * 1024 * 1024}`],
  ].join('\r\n');
  return new Promise<string>((resolve) => {
    let said = '';
    const socket = net.connect(Number(port), hostname, () => {
      socket.write(`${head}\r\n\r\n{"description":"${'x'.repeat(7 * 1024 * 1024)}`);
    });
    heldUp.push(socket);
    socket.on('data', (piece) => {
      said += piece;
    });
    socket.on('error', () => {});
    socket.on('close', () => resolve(said));
  });
};

test('half-sent large bodies of one firm hold up no other firm, and are cut with an answer', async () => {
  const [firm, other] = [await makeFirm(server), await makeFirm(server)];
  const sockets: net.Socket[] = [];
  const half = Array.from({ length: 6 }, () => sendHalf(other.owner.key, sockets));
  await Bun.sleep(1_000);
  for (let round = 0; round < 3; round += 1) {
    const since = performance.now();
    expect((await createLarge(firm)).status).toBe(201);
    expect(performance.now() - since).toBeLessThan(20_000);
  }
  const cut = await Promise.race([...half, Bun.sleep(40_000).then(() => 'not cut')]);
  expect(cut).toMatch(/^HTTP\/1.1 400 /);
  expect(cut).toMatch(/\nconnection: close\r\n/i);
  expect(cut).toContain('too slowly');
  // What is cut leaves its turn: the firm that sent it is served again.
  for (const socket of sockets) socket.destroy();
  await Bun.sleep(200);
  expect((await createLarge(other)).status).toBe(201);
});
