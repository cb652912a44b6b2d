/** One hostile request from its seed: right at first, then changed in up to three ways. */
import { requests as rawRequests } from '../../api/corpus/requests.ts';
import { chanceOf } from '../../support/random.ts';
import { change, type Draft, idOf, withBody } from './changes.ts';
import { type Chance, type Operation, operations, rightValue } from './operations.ts';
import type { MarkedFirm } from './stage.ts';

export type HostileRequest = {
  index: number;
  /** What was done to it, in words. */
  changes: string[];
  method: string;
  bytes: Buffer;
  /** The operation that it still is, by method and path; undefined where these are changed. */
  operation: Operation | undefined;
  /** Its framing is not right: the connection is of no use afterwards. */
  isBroken: boolean;
  mayBeHungUpOn: boolean;
  /** Its path may lead to pages that are not JSON. */
  isOutsideApi: boolean;
};

/** Makes the request of this number: the same again for the same seed and the same stored records. */
export const requestMaker = (seed: number, host: string, mine: MarkedFirm, theirs: MarkedFirm) => {
  const key = `Authorization: Bearer ${mine.key}`;
  return (index: number): HostileRequest => {
    const chance = chanceOf(Math.imul(seed, 0x9e37_79b1) ^ Math.imul(index + 1, 0x85eb_ca6b));
    if (chance.happens(0.01)) {
      const { name, of } = chance.among(rawRequests);
      const bytes = Buffer.from(of(host, key), 'latin1');
      return { ...broken(index, [`corpus: ${name}`], bytes), isOutsideApi: true };
    }
    const draft = draftOf(chance, mine);
    for (let count = chance.among([1, 1, 1, 2, 2, 3]); count > 0; count -= 1)
      change(chance, draft, mine, theirs);
    return written(chance, index, draft, host);
  };
};

const draftOf = (chance: Chance, mine: MarkedFirm): Draft => {
  const operation = chance.among(chance.happens(0.6) ? withBody : operations);
  const { kind, path, method, body } = operation;
  const ids = idOf(chance, mine);
  const needs = path === '/v1/search' ? '?q=quill' : '';
  const query = kind === 'matter-types' && path === '/v1/matter-types' && method === 'GET';
  return {
    method,
    operation,
    changes: [],
    isWild: false,
    isOutsideApi: false,
    path: path.replace('{id}', ids(kind)),
    query: query ? `?practiceAreaId=${ids('practice-areas')}` : needs,
    lines: body ? [['Content-Type', 'application/json']] : [],
    authorization: [['Authorization', `Bearer ${mine.key}`]],
    value: body && rightValue(body, '', chance, ids, mine.marker),
    body: undefined,
  };
};

const framings = [
  'Content-Length: 0',
  'Content-Length: 5',
  'Content-Length: 99999',
  'Content-Length: -1',
  'Transfer-Encoding: chunked',
  'Transfer-Encoding: gzip, chunked',
];

const written = (chance: Chance, index: number, draft: Draft, host: string): HostileRequest => {
  const { method, operation, changes, isOutsideApi } = draft;
  const body =
    draft.body ??
    (draft.value === undefined ? undefined : Buffer.from(JSON.stringify(draft.value)));
  const head = [
    `${method} ${draft.path}${draft.query} HTTP/1.1`,
    `Host: ${host}`,
    ...[...draft.lines, ...draft.authorization].map(([name, value]) => `${name}: ${value}`),
  ];
  const bytesWith = (line: string | undefined, content: Uint8Array) =>
    Buffer.concat([
      Buffer.from(`${[...head, ...(line ? [line] : [])].join('\r\n')}\r\n\r\n`, 'latin1'),
      content,
    ]);
  const content = body ?? Buffer.alloc(0);
  const isFramed = body !== undefined || chance.happens(0.1);
  const right = bytesWith(isFramed ? `Content-Length: ${content.length}` : undefined, content);
  if (chance.happens(0.01)) {
    return broken(
      index,
      [...changes, 'cut off'],
      right.subarray(0, chance.from(1, right.length - 1)),
    );
  }
  if (chance.happens(0.02)) {
    const framing = chance.among(framings);
    return broken(index, [...changes, framing], bytesWith(framing, content));
  }
  if (body && chance.happens(0.05)) {
    const chunks = chunked(chance, body);
    const bytes = bytesWith('Transfer-Encoding: chunked', chunks);
    return { ...sound(index, draft, bytes), changes: [...changes, 'in chunks'], operation };
  }
  return { ...sound(index, draft, right), operation, isOutsideApi };
};

const sound = (index: number, draft: Draft, bytes: Buffer): HostileRequest => ({
  index,
  bytes,
  method: draft.method,
  changes: draft.changes,
  operation: draft.operation,
  isBroken: false,
  mayBeHungUpOn: draft.isWild,
  isOutsideApi: draft.isOutsideApi,
});

const broken = (index: number, changes: string[], bytes: Buffer): HostileRequest => ({
  index,
  bytes,
  method: 'POST',
  changes,
  operation: undefined,
  isBroken: true,
  mayBeHungUpOn: true,
  isOutsideApi: true,
});

/** A body in pieces, as it may travel where its length is not known. */
const chunked = (chance: Chance, body: Buffer): Buffer => {
  const pieces: Buffer[] = [];
  for (let from = 0; from < body.length; ) {
    const piece = body.subarray(from, from + chance.from(1, 300));
    pieces.push(Buffer.from(`${piece.length.toString(16)}\r\n`), piece, Buffer.from('\r\n'));
    from += piece.length;
  }
  return Buffer.concat([...pieces, Buffer.from('0\r\n\r\n')]);
};
