/** What a connection is told about its end. */
import { beforeAll, expect, test } from 'bun:test';
import { type Firm, makeFirm, startTestServer } from '../support/firm.ts';
import { keepAliveClient } from '../support/keep-alive.ts';
import { exchange } from '../support/raw.ts';

const server = await startTestServer();
let firm: Firm;
beforeAll(async () => {
  firm = await makeFirm(server);
});

const ask = (line: string, header: string) =>
  exchange(
    server.url,
    Buffer.from(
      `${line} HTTP/1.1\r\nHost: a\r\nAuthorization: Bearer ${firm.owner.key}\r\n${header}\r\n\r\n`,
    ),
  );

test.each([
  ['GET /v1/leads', 'Connection: close', 200],
  ['GET /v1/leads', 'connection: Close', 200],
  ['GET /v1/leads', 'Connection: keep-alive, close', 200],
  ['HEAD /v1/leads', 'Connection: close', 200],
  ['GET /healthz', 'Connection: close', 200],
  ['GET /v1/leads/nothing', 'Connection: close', 404],
  ['POST /v1/leads', 'Content-Length: 0\r\nConnection: close', 400],
])('%s with %j: the answer says that the connection ends', async (line, header, status) => {
  const text = await ask(line, header);
  expect(text).toStartWith(`HTTP/1.1 ${status} `);
  expect(text.match(/\nconnection: close\r\n/gi)).toHaveLength(1);
});

test('a connection that is to be kept is kept, and nothing is said of its end', async () => {
  const client = keepAliveClient([Number(new URL(server.url).port)]);
  const headers = { authorization: `Bearer ${firm.owner.key}` };
  for (let count = 0; count < 3; count += 1) {
    const answer = await client.send('GET', '/v1/leads', headers);
    expect(answer).toMatchObject({ status: 200 });
    expect('headers' in answer && answer.headers.connection).toBeUndefined();
  }
  client.close();
});

test('requests sent before the last one is answered get no answer, and sent again they are done once', async () => {
  const bodyOf = (lastName: string) => JSON.stringify({ lastName });
  const head = (lastName: string) =>
    [
      'POST /v1/leads HTTP/1.1\r\nHost: a\r\nContent-Type: application/json',
      `Authorization: Bearer ${firm.owner.key}\r\nIdempotency-Key: pipelined ${lastName}`,
      `Content-Length: ${bodyOf(lastName).length}\r\n\r\n${bodyOf(lastName)}`,
    ].join('\r\n');
  expect(await exchange(server.url, Buffer.from(head('First') + head('Second')))).toBe('');
  for (const lastName of ['First', 'Second']) {
    const again = { 'idempotency-key': `pipelined ${lastName}` };
    expect((await firm.owner.post('/v1/leads', { lastName }, again)).status).toBe(201);
  }
  const { data } = (await firm.owner.get('/v1/leads')).body;
  const names = data.map(({ contact }: { contact: { name: string } }) => contact.name);
  expect(names.toSorted()).toEqual(['First', 'Second']);
});
