/** Requests as bytes that no client sends by mistake, each with what may come of it. */

export type RawRequest = {
  name: string;
  /** The bytes, given the host and the Authorization header's line. */
  of(host: string, key: string): string;
  /** The statuses that may be the first answer; `closed` where the server may hang up without one. */
  answers: (number | 'closed')[];
};

const lead = '{"lastName":"Smuggled"}';
const json = `Content-Type: application/json`;
const refused: RawRequest['answers'] = [400, 'closed'];

/** A GET of the leads with lines of its own, and no body. */
const get = (
  name: string,
  lines: string,
  answers: RawRequest['answers'],
  target = '/v1/leads',
): RawRequest => ({
  name,
  answers,
  of: (host, key) =>
    `GET ${target} HTTP/1.1\r\nHost: ${host}\r\n${key}\r\n${lines}Connection: close\r\n\r\n`,
});

/** A POST of a lead whose framing is wrong: no lead may come of it. */
const post = (name: string, lines: string, body: string, answers = refused): RawRequest => ({
  name,
  answers,
  of: (host, key) =>
    `POST /v1/leads HTTP/1.1\r\nHost: ${host}\r\n${key}\r\n${json}\r\nConnection: close\r\n${lines}\r\n${body}`,
});

/** A first line of its own before the usual lines. */
const line = (first: string, answers: RawRequest['answers']): RawRequest => ({
  name: `${first.slice(0, 60)}…`,
  answers,
  of: (host, key) => `${first}\r\nHost: ${host}\r\n${key}\r\nConnection: close\r\n\r\n`,
});

const length = Buffer.byteLength(lead);
const chunk = `${length.toString(16)}\r\n${lead}\r\n`;
const second = (host: string, key: string) =>
  `POST /v1/leads HTTP/1.1\r\nHost: ${host}\r\n${key}\r\n${json}\r\nContent-Length: ${length}\r\n\r\n${lead}`;

export const requests: RawRequest[] = [
  // Lengths and framing.
  ...['-1', '+5', '0x10', '1e3', '1.0', '5,5', '', ' ', '99999999999999999999', 'abc', '２'].map(
    (one) =>
      post(`Content-Length: ${one}`, `Content-Length: ${one}\r\n`, lead, [400, 413, 'closed']),
  ),
  post('two lengths', `Content-Length: ${length}\r\nContent-Length: ${length - 1}\r\n`, lead),
  post(
    'a length and chunks',
    `Content-Length: 5\r\nTransfer-Encoding: chunked\r\n`,
    `${chunk}0\r\n\r\n`,
  ),
  post(
    'chunks and a length',
    `Transfer-Encoding: chunked\r\nContent-Length: 5\r\n`,
    `${chunk}0\r\n\r\n`,
  ),
  ...['xchunked', 'chunked, identity', 'identity, gzip', 'chunked;q=1', 'chun\tked'].map((one) =>
    post(`Transfer-Encoding: ${one}`, `Transfer-Encoding: ${one}\r\n`, `${chunk}0\r\n\r\n`, [
      400,
      411,
      415,
      501,
      'closed',
    ]),
  ),
  ...['zz', '-1', '0x5', '', 'ffffffffffffffffff', '5 5', '+5'].map((one) =>
    post(
      `a chunk of size ${one}`,
      'Transfer-Encoding: chunked\r\n',
      `${one}\r\n${lead}\r\n0\r\n\r\n`,
    ),
  ),
  post(
    'a chunk longer than it says',
    'Transfer-Encoding: chunked\r\n',
    `3\r\n${lead}\r\n0\r\n\r\n`,
  ),
  post(
    'a chunk extension of 64 KiB',
    'Transfer-Encoding: chunked\r\n',
    `5;${'x'.repeat(65_536)}\r\n${lead.slice(0, 5)}\r\n0\r\n\r\n`,
    [400, 413, 431, 'closed'],
  ),
  post('no length at all', '', lead, [400, 411, 'closed']),
  // Header lines.
  get('a folded line', 'X-A: 1\r\n  2\r\n', refused),
  get('a space before the colon', 'X-A : 1\r\n', refused),
  get('a line without a colon', 'X-A\r\n', refused),
  get('a name with a space', 'X A: 1\r\n', refused),
  get('no name', ': 1\r\n', refused),
  get('NUL in a value', 'X-A: a\0b\r\n', refused),
  get('NUL in a name', 'X\0A: b\r\n', refused),
  get('CR in a value', 'X-A: a\rb\r\n', refused),
  get('bytes past ASCII in a value', 'X-A: \x80\xff\r\n', [200, 400, 'closed']),
  get('a header of 20 KB', `X-A: ${'a'.repeat(20_000)}\r\n`, [400, 431, 'closed']),
  get('300 headers', Array.from({ length: 300 }, (_, index) => `X-${index}: 1\r\n`).join(''), [
    400,
    431,
    'closed',
  ]),
  get('two hosts', 'Host: other.example\r\n', [200, 400, 'closed']),
  get('a method override', 'X-HTTP-Method-Override: DELETE\r\n', [200]),
  get('an upgrade to HTTP/2', 'Upgrade: h2c\r\nHTTP2-Settings: AAMAAABk\r\n', [200, 400]),
  get(
    'an upgrade to a web socket',
    'Upgrade: websocket\r\nSec-WebSocket-Key: eA==\r\nSec-WebSocket-Version: 13\r\n',
    [200, 400, 426],
  ),
  get('a range', 'Range: bytes=0-1\r\n', [200]),
  get('an expectation', 'Expect: something\r\n', [200, 417, 400]),
  // Targets.
  ...['/v1/leads?limit=%zz', '/v1/leads?limit=%00', '/v1/leads?limit=%ff'].map((one) =>
    get(one, '', [400], one),
  ),
  ...['/v1/leads/%zz', '/v1/leads/%00', '/v1/leads/%ff', '/v1/leads/..%2f'].map((one) =>
    get(one, '', [404], one),
  ),
  // In an address it is `..`, so this is /v1 itself.
  get('/v1/leads/%2e%2e', '', [200], '/v1/leads/%2e%2e'),
  ...['/v1/leads?', '/v1/leads?x', '/v1/leads?x=%zz', '/v1/leads?&'].map((one) =>
    get(one, '', [200], one),
  ),
  get('a path of 8 KB', '', [404, 414, 431, 'closed'], `/v1/leads/${'a'.repeat(8_000)}`),
  get('a path of 64 KB', '', [400, 404, 414, 431, 'closed'], `/v1/leads/${'a'.repeat(64_000)}`),
  get('an empty target', '', [400, 404, 'closed'], ''),
  get('a target with a space', '', [400, 404, 505, 'closed'], '/v1/leads x'),
  // First lines.
  line('FOO /v1/leads HTTP/1.1', [400, 404, 405, 501, 'closed']),
  line('get /v1/leads HTTP/1.1', [400, 404, 405, 501, 'closed']),
  line('CONNECT /v1/leads HTTP/1.1', [400, 404, 405, 501, 'closed']),
  line('CONNECT leads.example:443 HTTP/1.1', [400, 404, 405, 501, 'closed']),
  line('TRACE /v1/leads HTTP/1.1', [400, 404, 405, 501, 'closed']),
  line('OPTIONS * HTTP/1.1', [400, 404, 405, 'closed']),
  line('GET /v1/leads HTTP/9.9', [400, 505, 'closed']),
  line('GET /v1/leads HTTP/2.0', [400, 505, 'closed']),
  line('GET /v1/leads', [400, 505, 'closed']),
  line('GET', [400, 505, 'closed']),
  line('\0\0\0\0', [400, 505, 'closed']),
  // Whole other tongues, and ends that never come.
  {
    name: 'no host',
    answers: [200, 400, 'closed'],
    of: (_, key) => `GET /v1/leads HTTP/1.1\r\n${key}\r\nConnection: close\r\n\r\n`,
  },
  ...(
    [
      ['/v1/leads', 200],
      ['/healthz', 200],
      ['/v1/openapi.json', 200],
      ['/nothing', 404],
      ['/v1/leads?limit=0', 400],
    ] as const
  ).map(([target, status]): RawRequest => {
    const of: RawRequest['of'] = (_, key) => `GET ${target} HTTP/1.0\r\n${key}\r\n\r\n`;
    return { name: `${target} in HTTP/1.0, which needs no host`, answers: [status], of };
  }),
  ...['', ' ', 'a b', '[::1', ':::', '%%', 'a/b', 'a@b', 'a?b', '..', '\x80', 'x'.repeat(300)].map(
    (host): RawRequest => ({
      name: `the host ${host.slice(0, 9)}`,
      answers: [200, 400, 'closed'],
      of: (_, key) =>
        `GET /v1/leads HTTP/1.1\r\nHost: ${host}\r\n${key}\r\nConnection: close\r\n\r\n`,
    }),
  ),
  {
    name: 'bare line feeds',
    answers: [200, 400, 505, 'closed'],
    of: (host, key) => `GET /v1/leads HTTP/1.1\nHost: ${host}\n${key}\nConnection: close\n\n`,
  },
  {
    name: 'the preface of HTTP/2',
    answers: [400, 505, 'closed'],
    of: () => 'PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n',
  },
  {
    name: 'a TLS hello',
    answers: [400, 505, 'closed'],
    of: () => '\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03',
  },
  {
    name: 'a request in the rest of a body, on a connection that closes',
    answers: [400, 'closed'],
    of: (host, key) =>
      `POST /v1/leads HTTP/1.1\r\nHost: ${host}\r\n${key}\r\n${json}\r\nConnection: close\r\nContent-Length: 2\r\n\r\n{"${second(host, key)}`,
  },
];

/** Begun and never ended: nothing may come of them, and the connection may only be waited on. */
export const unfinished: Pick<RawRequest, 'name' | 'of'>[] = [
  { name: 'nothing', of: () => '' },
  { name: 'half a first line', of: () => 'POST /v1/lea' },
  {
    name: 'half the headers',
    of: (host, key) => `POST /v1/leads HTTP/1.1\r\nHost: ${host}\r\n${key}\r\n`,
  },
  { name: 'half a body', of: (host, key) => second(host, key).slice(0, -1) },
  {
    name: 'no last chunk',
    of: (host, key) =>
      `POST /v1/leads HTTP/1.1\r\nHost: ${host}\r\n${key}\r\n${json}\r\nTransfer-Encoding: chunked\r\n\r\n${chunk}`,
  },
];
