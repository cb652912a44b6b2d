/** What is done to a request that was right: its values, its bytes, its lines, its path, its caller. */
import { bodyWith, type Field, fieldsOf, isReference } from '../../api/corpus/fields.ts';
import { notIds } from '../../api/corpus/texts.ts';
import { wrongFor } from '../../api/corpus/values.ts';
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

/** A request that is not written yet. */
export type Draft = {
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

/** Some id of this kind that the firm has. */
export const idOf =
  (chance: Chance, { ids }: MarkedFirm) =>
  (kind: string) =>
    chance.among(ids[kind]?.length ? ids[kind] : ['00000000-0000-7000-8000-000000000000']);

/** The operations that take a body. */
export const withBody = operations.filter(({ body }) => body);

type Change = (chance: Chance, draft: Draft, mine: MarkedFirm, theirs: MarkedFirm) => void;

/** Does one thing to a request. */
export const change: Change = (chance, draft, mine, theirs) => {
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
      enumerable: true,
      configurable: true,
      writable: true,
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
