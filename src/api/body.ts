import { keysSentTwice } from '../base/json-keys.ts';
import { invalid, Refusal } from '../base/refusal.ts';
import { openTurns } from '../base/turns.ts';
import { whenAnswered } from '../http/answered.ts';
import { bytesOf, largeBytes } from '../http/body-bytes.ts';
import { callerOf } from '../http/caller.ts';

const deepestNesting = 32;
// A thousand times what any resource needs. Building more values would hold up every other caller.
const maxValues = 20_000;
// No answer names more of them.
const maxDoubled = 20;

// What is not read yet stays with its sender, so only bodies being read take memory. Large bodies
// are parsed and stored one by one: several at once would leave too little processor and database
// for others. Both take turns by firm: one firm's bodies never make another firm wait.
const reading = openTurns({ atOnce: 8, ofOne: 2, inLine: 100, patienceMilliseconds: 2_000 });
const working = openTurns({ atOnce: 2, ofOne: 1, inLine: 4, patienceMilliseconds: 10_000 });

/**
 * A request with a large body is answered, so the next one may begin. Its garbage is collected
 * first, at once: left alone, or only asked to, the runtime collects when forty more have come.
 */
const endTurns = (mine: (() => void)[]) => {
  if (mine.length > 0) Bun.gc(true);
  for (const end of mine.splice(0)) end();
};

/**
 * The parser of a route whose body the gate reads. Elysia would parse the body before the caller is
 * admitted. With its own `none` it would not check the body's shape at all.
 */
export const leaveUnread = () => ({});

/**
 * Reads a request's body as the JSON object it must be. A large one keeps its turn until the
 * request is answered. Throws `Refusal`: payload_too_large over the limit; rate_limited if too many
 * large bodies of the caller's firm come at once; invalid_request for another content type or
 * encoding, broken UTF-8, broken or too deep JSON, more than 20,000 values, a JSON value that is no
 * object, NUL or half a surrogate pair in any text, and a body that comes too slowly
 * (docs/contract.md, Requests).
 */
export const readBody = async (request: Request, limitBytes: number): Promise<object> => {
  if (request.body === null) throw invalid('The request body is missing. Send a JSON object.');
  checkHeaders(request.headers, limitBytes);
  const statedBytes = Number(request.headers.get('content-length') ?? limitBytes);
  if (statedBytes <= largeBytes) return objectIn(await bytesOf(request, limitBytes, tooLarge));
  const firm = callerOf(request)?.firmId ?? '';
  const mine: (() => void)[] = [];
  whenAnswered(request, () => endTurns(mine));
  mine.push(await reading.take(firm));
  const bytes = await bytesOf(request, limitBytes, tooLarge);
  mine.push(await working.take(firm));
  return objectIn(bytes);
};

/**
 * The body of a request that takes none: its fields are named, and not ignored in silence. Undefined if it is no JSON object
 * of at most 1 MiB: then it means nothing and names nothing. Throws `Refusal` if it comes too slowly.
 */
export const readNeedless = async (request: Request): Promise<object | undefined> => {
  const stated = request.headers.get('content-length');
  const mayBeAny = stated === null ? request.headers.has('transfer-encoding') : Number(stated) > 0;
  if (request.body === null || !mayBeAny || Number(stated ?? 0) > largeBytes) return undefined;
  const sent = await bytesOf(request, largeBytes, tooLarge).catch((error) => {
    if (error instanceof Refusal && error.code === 'payload_too_large') return undefined;
    throw error;
  });
  if (!sent) return undefined;
  try {
    checkHeaders(request.headers, largeBytes);
    return await objectIn(sent);
  } catch (error) {
    if (error instanceof Refusal) return undefined;
    throw error;
  }
};

const objectIn = async (bytes: Uint8Array): Promise<object> => {
  if (bytes.byteLength === 0) throw invalid('The request body is missing. Send a JSON object.');
  const { text, keys } = await textIn(bytes);
  const value = parse(text);
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    throw invalid('The request body must be a JSON object.');
  }
  // JSON.parse keeps the last of several. So the text has more keys than the value.
  if (checkTexts(value, '') < keys) doubled.set(value, keysSentTwice(text, maxDoubled));
  return value;
};

const doubled = new WeakMap<object, string[]>();

/** The paths of keys that were sent more than once, by the body that was read. */
export const doubledKeysOf = (body: object): readonly string[] => doubled.get(body) ?? [];

const checkHeaders = (headers: Headers, limitBytes: number) => {
  const [type = '', ...parameters] = (headers.get('content-type') ?? '').toLowerCase().split(';');
  const charset = parameters.map((part) => part.trim()).find((part) => part.startsWith('charset='));
  if (type.trim() !== 'application/json' || (charset && !/^charset="?utf-8"?$/.test(charset))) {
    throw invalid('Content-Type must be application/json.');
  }
  if (!['', 'identity'].includes((headers.get('content-encoding') ?? '').toLowerCase())) {
    throw invalid('Content-Encoding is not supported: send the JSON as it is.');
  }
  if (Number(headers.get('content-length') ?? 0) > limitBytes) throw tooLarge(limitBytes);
};

const tooLarge = (limitBytes: number) =>
  new Refusal(
    'payload_too_large',
    `The request body must be at most ${limitBytes / 1024 / 1024} MiB.`,
  );

const [quote, comma, colon, backslash, openBrace, closeBrace, openBracket, closeBracket] = [
  34, 44, 58, 92, 123, 125, 91, 93,
];

/**
 * The text of a body, once it is known to be cheap enough to parse, and how many keys it has. A
 * large one is read piece by piece: other callers are served in between.
 */
const textIn = async (bytes: Uint8Array): Promise<{ text: string; keys: number }> => {
  const { check, keys } = structureCheck();
  const utf8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });
  let text = '';
  for (let from = 0; from < bytes.length; from += largeBytes) {
    if (bytes.length > largeBytes) await Bun.sleep(1);
    const piece = bytes.subarray(from, from + largeBytes);
    check(piece);
    const isLast = from + largeBytes >= bytes.length;
    try {
      text += utf8.decode(piece, { stream: !isLast });
    } catch {
      throw invalid('The request body is not valid UTF-8.');
    }
  }
  if (bytes.length > largeBytes) await Bun.sleep(1);
  return { text, keys: keys() };
};

/**
 * Deep nesting and many values are cheap to count and expensive to build. Takes a body piece by
 * piece.
 */
const structureCheck = () => {
  let depth = 0;
  let values = 1;
  let keys = 0;
  let inText = false;
  let isEscaped = false;
  const check = (piece: Uint8Array) => {
    for (let index = 0; index < piece.length; index += 1) {
      const byte = piece[index];
      if (isEscaped) {
        isEscaped = false;
      } else if (inText) {
        if (byte === backslash) isEscaped = true;
        else if (byte === quote) inText = false;
      } else if (byte === quote) {
        inText = true;
      } else if (byte === openBrace || byte === openBracket) {
        depth += 1;
        values += 1;
        if (depth > deepestNesting) {
          throw invalid(
            `The request body must not be nested deeper than ${deepestNesting} levels.`,
          );
        }
      } else if (byte === comma) {
        values += 1;
      } else if (byte === colon) {
        keys += 1;
      } else if (byte === closeBrace || byte === closeBracket) {
        depth -= 1;
      }
    }
    if (values > maxValues) {
      const max = maxValues.toLocaleString('en');
      throw invalid(`The request body must not hold more than ${max} values.`);
    }
  };
  return { check, keys: () => keys };
};

const parse = (text: string): unknown => {
  try {
    return JSON.parse(text);
  } catch {
    throw invalid('The request body is not valid JSON.');
  }
};

/**
 * Postgres can store neither NUL nor half a surrogate pair, in values or keys. Returns how many keys
 * there are.
 */
const checkTexts = (value: unknown, path: string): number => {
  if (typeof value === 'string') checkText(value, path);
  if (typeof value === 'number' && !Number.isFinite(value)) {
    throw invalid(`${path} is too large a number.`);
  }
  if (typeof value !== 'object' || value === null) return 0;
  let keys = 0;
  if (Array.isArray(value)) {
    for (const [index, entry] of value.entries()) keys += checkTexts(entry, `${path}[${index}]`);
    return keys;
  }
  for (const [key, entry] of Object.entries(value)) {
    checkText(key, path === '' ? 'a field name' : `a key of ${path}`);
    keys += 1 + checkTexts(entry, pathTo(key, path));
  }
  return keys;
};

const checkText = (text: string, path: string) => {
  if (text.includes('\0') || !text.isWellFormed()) {
    throw invalid(`${path} must not contain NUL or an unpaired surrogate.`);
  }
};

/** A field's name is repeated to the caller only if it is a plain word. */
const pathTo = (key: string, path: string) => {
  if (!/^[A-Za-z]{1,40}$/.test(key)) return path || 'a field';
  return path ? `${path}.${key}` : key;
};
