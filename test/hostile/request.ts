/** One hostile request from its seed: right at first, then changed in up to three ways. */
import { bodyWith, type Field, fieldsOf, isReference } from '../corpus/fields.ts';
import { requests as rawRequests } from '../corpus/requests.ts';
import { notIds } from '../corpus/texts.ts';
import { wrongFor } from '../corpus/values.ts';
import { chanceOf } from '../support/random.ts';
import { anyValue, longText, spoilBytes, spoilValue, unknownKey, wide } from './junk.ts';
import {
  type Lines,
  wildAuthorization,
  wildId,
  wildLine,
  wildMethods,
  wildQuery,
  wildTarget,
} from './lines.ts';
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

type Draft = {
  method: string;
  path: string;
  query: string;
  lines: Lines;
  authorization: Lines;
  operation: Operation | undefined;
  value: unknown;
  body: Buffer | undefined;
  changes: string[];
  isWild: boolean;
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

const idOf =
  (chance: Chance, { ids }: MarkedFirm) =>
  (kind: string) =>
    chance.among(ids[kind]?.length ? ids[kind] : ['00000000-0000-7000-8000-000000000000']);

const withBody = operations.filter(({ body }) => body);

const draftOf = (chance: Chance, mine: MarkedFirm): Draft => {
  const operation = chance.among(chance.happens(0.6) ? withBody : operations);
  const { kind, path, method, body } = operation;
  const ids = idOf(chance, mine);
  const needs = path === '/v1/search' ? '?q=quill' : '';
  const query = kind === 'matter-types' && path === '/v1/matter-types' && method === 'GET';
  return {
    ...{ method, operation, changes: [], isWild: false, isOutsideApi: false },
    path: path.replace('{id}', ids(kind)),
    query: query ? `?practiceAreaId=${ids('practice-areas')}` : needs,
    lines: body ? [['Content-Type', 'application/json']] : [],
    authorization: [['Authorization', `Bearer ${mine.key}`]],
    value: body && rightValue(body, '', chance, ids, mine.marker),
    body: undefined,
  };
};

type Change = (chance: Chance, draft: Draft, mine: MarkedFirm, theirs: MarkedFirm) => void;

const change: Change = (chance, draft, mine, theirs) => {
  const all = draft.value === undefined || draft.body ? aroundBody : everywhere;
  const name = chance.among(all);
  draft.changes.push(name);
  changesByName[name]?.(chance, draft, mine, theirs);
};

const fields = (operation: Operation | undefined): Field[] =>
  operation?.body
    ? fieldsOf(operation.kind, operation.method === 'POST' ? 'create' : 'update')
    : [];

const fieldsByOperation = new Map(withBody.map((one) => [one, fields(one)]));

const setField = (chance: Chance, draft: Draft, valueFor: (field: Field) => unknown) => {
  const all = (draft.operation && fieldsByOperation.get(draft.operation)) ?? [];
  if (all.length === 0 || !isObject(draft.value)) return;
  const field = chance.among(all);
  try {
    draft.value = bodyWith(draft.value, [[field, valueFor(field)]], {});
  } catch {
    // Another change took the place of what holds the field.
  }
};

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

const withText = (draft: Draft, alter: (text: string) => string | Buffer) => {
  draft.body = Buffer.from(alter(JSON.stringify(draft.value)) as string);
};

const changesByName: Record<string, Change> = {
  'a wrong value'(chance, draft) {
    setField(chance, draft, (field) => chance.among(wrongFor(field)));
  },
  'any value'(chance, draft, mine) {
    setField(chance, draft, () => anyValue(chance, mine.marker));
  },
  'a long text'(chance, draft) {
    setField(chance, draft, () => longText(chance));
  },
  'very many entries'(chance, draft) {
    setField(chance, draft, () => wide(chance));
  },
  "another firm's id, or another kind's"(chance, draft, mine, theirs) {
    const firm = chance.happens(0.5) ? theirs : mine;
    const id = () => idOf(chance, firm)(chance.among(Object.keys(firm.ids)));
    const strange = () => (chance.happens(0.8) ? id() : chance.among(notIds(id())));
    const references = ((draft.operation && fieldsByOperation.get(draft.operation)) ?? []).filter(
      isReference,
    );
    if (references.length === 0 || !isObject(draft.value)) return;
    const field = chance.among(references);
    const value = field.schema.type === 'array' ? [strange(), strange()] : strange();
    try {
      draft.value = bodyWith(draft.value, [[field, value]], {});
    } catch {
      // As above.
    }
  },
  'a field left out'(chance, draft) {
    if (isObject(draft.value))
      delete draft.value[chance.among(Object.keys(draft.value).concat(''))];
  },
  'an unknown field'(chance, draft, mine) {
    if (!isObject(draft.value)) return;
    const holder = chance.happens(0.5) ? draft.value.customFields : draft.value;
    Object.defineProperty(isObject(holder) ? holder : draft.value, unknownKey(chance), {
      value: anyValue(chance, mine.marker),
      ...{ enumerable: true, configurable: true, writable: true },
    });
  },
  'another body'(chance, draft, mine) {
    draft.value = chance.happens(0.5)
      ? anyValue(chance, mine.marker)
      : rightValue(chance.among(withBody).body ?? {}, '', chance, idOf(chance, mine), mine.marker);
  },
  'no JSON value'(chance, draft) {
    withText(draft, (text) => spoilValue(chance, text));
  },
  'a field given twice'(chance, draft, mine) {
    withText(draft, (text) =>
      text.replace(/^\{("\w+"):/, (all, name) => {
        return `{${name}:${JSON.stringify(anyValue(chance, mine.marker))},${all.slice(1)}`;
      }),
    );
  },
  'other bytes'(chance, draft) {
    withText(draft, (text) => spoilBytes(chance, Buffer.from(text)));
  },
  'cut short'(chance, draft) {
    withText(draft, (text) => text.slice(0, chance.from(0, text.length)));
  },
  'a wild query'(chance, draft) {
    draft.query = wildQuery(chance);
    draft.isWild = true;
  },
  'a wild header'(chance, draft, mine) {
    draft.lines = wildLine(chance, draft.lines, mine.marker);
    draft.isWild = true;
  },
  'another caller'(chance, draft, mine, theirs) {
    draft.authorization = wildAuthorization(chance, {
      ...mine,
      revokedKey: chance.happens(0.5) ? theirs.revokedKey : mine.revokedKey,
    });
    draft.isWild = true;
  },
  'an id of another firm or kind in the path'(chance, draft, mine, theirs) {
    if (!draft.operation?.path.includes('{id}')) return;
    const firm = chance.happens(0.6) ? theirs : mine;
    const kind = chance.happens(0.6) ? draft.operation.kind : chance.among(Object.keys(firm.ids));
    const id = idOf(chance, firm)(kind);
    draft.path = draft.operation.path.replace('{id}', id);
  },
  'no id in the path'(chance, draft, mine) {
    const { operation } = draft;
    if (!operation?.path.includes('{id}')) return;
    draft.path = operation.path.replace('{id}', wildId(chance, idOf(chance, mine)(operation.kind)));
    draft.isWild = true;
    draft.operation = undefined;
  },
  'a wild path'(chance, draft, mine) {
    draft.path = wildTarget(chance, idOf(chance, mine)('leads'));
    draft.query = '';
    draft.isWild = draft.isOutsideApi = true;
    draft.operation = undefined;
  },
  'another method'(chance, draft) {
    draft.method = chance.among(wildMethods);
    draft.isWild = true;
    draft.operation = undefined;
  },
};

const aroundBody = [
  ...['a wild query', 'a wild header', 'a wild header', 'another caller', 'a wild path'],
  ...['an id of another firm or kind in the path', 'no id in the path', 'another method'],
];
const everywhere = [
  ...Object.keys(changesByName),
  ...['a wrong value', 'any value', 'no JSON value', 'other bytes', 'an unknown field'],
];

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
  ...{ index, bytes, method: draft.method, changes: draft.changes, operation: draft.operation },
  ...{ isBroken: false, mayBeHungUpOn: draft.isWild, isOutsideApi: draft.isOutsideApi },
});

const broken = (index: number, changes: string[], bytes: Buffer): HostileRequest => ({
  ...{ index, bytes, method: 'POST', changes, operation: undefined },
  ...{ isBroken: true, mayBeHungUpOn: true, isOutsideApi: true },
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
