/** Requests as bytes, for what `fetch` would put right before sending. */
import { connect } from 'node:net';
import { connect as connectSecurely } from 'node:tls';
import type { Answer } from './firm.ts';

/** Header lines of a request, in order, a name as often as it is given. */
export type Lines = [name: string, value: string][];

/** Sends one request byte by byte as given, and reads the answer until the server closes. */
export const sendRaw = async (
  url: string,
  requestLine: string,
  lines: Lines = [],
  body: Uint8Array = new Uint8Array(),
): Promise<Answer> => {
  const { host } = new URL(url);
  const head = [['Host', host], ['Connection', 'close'], ...lines]
    .map(([name, value]) => `${name}: ${value}`)
    .join('\r\n');
  const bytes = Buffer.concat([
    // Latin 1, so that each character of a header is one byte of it.
    Buffer.from(`${requestLine} HTTP/1.1\r\n${head}\r\n\r\n`, 'latin1'),
    Buffer.from(body),
  ]);
  return answerFrom(await exchange(url, bytes));
};

/** A body in two pieces, whose length is not said beforehand: for `Transfer-Encoding: chunked`. */
export const inChunks = (body: string): Uint8Array => {
  const half = Math.floor(body.length / 2);
  const chunk = (part: string) => `${part.length.toString(16)}\r\n${part}\r\n`;
  return Buffer.from(`${chunk(body.slice(0, half))}${chunk(body.slice(half))}0\r\n\r\n`);
};

/** Sends bytes as they are, and gives all that the server says until it closes. */
export const exchange = async (url: string, bytes: Uint8Array): Promise<string> => {
  const received = await new Promise<Buffer>((resolve, reject) => {
    const chunks: Buffer[] = [];
    const socket = dial(url, () => socket.write(bytes));
    socket.on('data', (chunk) => chunks.push(Buffer.from(chunk)));
    socket.on('close', () => resolve(Buffer.concat(chunks)));
    // A server may refuse before it has read everything: what it said counts.
    socket.on('error', (error) => (chunks.length > 0 ? undefined : reject(error)));
    socket.setTimeout(60_000, () => socket.destroy(new Error('No answer in a minute.')));
  });
  return received.toString();
};

/** A connection to the server of an address, which may speak HTTPS with any certificate. */
export const dial = (url: string, onOpen: () => void) => {
  const { hostname, port, protocol } = new URL(url);
  return protocol === 'https:'
    ? connectSecurely({ host: hostname, port: Number(port), rejectUnauthorized: false }, onOpen)
    : connect(Number(port), hostname, onOpen);
};

const answerFrom = (text: string): Answer => {
  const [head = '', ...rest] = text.split('\r\n\r\n');
  const [statusLine = '', ...lines] = head.split('\r\n');
  const headers = new Headers();
  for (const line of lines) {
    const colon = line.indexOf(':');
    headers.append(line.slice(0, colon), line.slice(colon + 1).trim());
  }
  const content = rest.join('\r\n\r\n');
  return {
    status: Number(statusLine.split(' ')[1]),
    headers,
    body: content.startsWith('{') ? JSON.parse(content) : content || undefined,
  };
};
