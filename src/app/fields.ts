import type { Static, TSchema } from '@sinclair/typebox';
import { Value } from '@sinclair/typebox/value';
import { explain, type Issue, sentenceOf } from '../base/explain.ts';
import { type Fault, invalid, Refusal } from '../base/refusal.ts';
import type { Actor, Reader } from '../record/actor.ts';

/** What a form sent. */
export type Fields = {
  /** The text sent under a name, without the white space at its ends; undefined where the name was not sent. */
  text(name: string): string | undefined;
  /** Just as it was sent, for passwords and for what is shown again. */
  raw(name: string): string | undefined;
  /** Every text sent under a name (check boxes, lists that choose several). */
  all(name: string): string[];
  has(name: string): boolean;
  file(name: string): File | undefined;
  names: string[];
};

/**
 * Reads what a form sent. Throws `Refusal` payload_too_large over `mostBytes`, invalid_request for
 * another kind of body, for NUL and for half a surrogate pair.
 */
export const readFields = async (request: Request, mostBytes: number): Promise<Fields> => {
  const type = request.headers.get('content-type') ?? '';
  if (!/^(application\/x-www-form-urlencoded|multipart\/form-data)\b/i.test(type)) {
    throw invalid('The form was not sent as a form.');
  }
  const bytes = await bytesOf(request, mostBytes);
  const sent = await parse(bytes, type);
  for (const value of sent.values()) {
    if (typeof value === 'string' && (value.includes('\0') || !value.isWellFormed())) {
      throw invalid('The form holds a character that cannot be stored.');
    }
  }
  const raw = (name: string) => {
    const value = sent.get(name);
    return typeof value === 'string' ? value.replaceAll('\r\n', '\n') : undefined;
  };
  return {
    raw,
    text: (name) => raw(name)?.trim(),
    all: (name) => sent.getAll(name).filter((value) => typeof value === 'string'),
    has: (name) => sent.has(name),
    file: (name) => {
      const value = sent.get(name);
      return typeof value === 'object' && value !== null && value.size > 0 ? value : undefined;
    },
    names: [...new Set(sent.keys())],
  };
};

const bytesOf = async (request: Request, mostBytes: number) => {
  const stated = Number(request.headers.get('content-length') ?? 0);
  const chunks: Uint8Array[] = [];
  let length = 0;
  if (stated > mostBytes) throw tooLarge(mostBytes);
  for await (const chunk of request.body ?? []) {
    length += chunk.byteLength;
    if (length > mostBytes) throw tooLarge(mostBytes);
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
};

const tooLarge = (mostBytes: number) =>
  new Refusal(
    'payload_too_large',
    `This is more than the ${mostBytes / 1024 / 1024} MiB that can be sent at once.`,
  );

const parse = async (bytes: Buffer<ArrayBuffer>, type: string): Promise<FormData> => {
  try {
    return await new Response(bytes, { headers: { 'content-type': type } }).formData();
  } catch {
    throw invalid('The form did not arrive completely. Send it again.');
  }
};

/**
 * Checks values against the shape that the API checks its bodies against, and gives them typed.
 * Throws one `Refusal` invalid_request with all faults; pages word them for people.
 */
export const checked = <Shape extends TSchema>(shape: Shape, values: unknown): Static<Shape> => {
  const faults = new Map<string, Fault>();
  for (const issue of Value.Errors(shape, values)) {
    const fault = explain(issue as Issue, 'The form');
    if (!faults.has(fault.field)) faults.set(fault.field, fault);
  }
  const [first] = faults.values();
  if (!first) return values as Static<Shape>;
  throw new Refusal('invalid_request', sentenceOf(first), {}, [...faults.values()]);
};

/** The name under which a form sends what a field held when the edit began. */
export const beganAs = (name: string) => `was.${name}`;

/**
 * The actor for an edit that must not undo another's: the verb first asks `readNow` what the fields
 * hold by now. A field whose value is neither what the edit began from nor what is sent is refused
 * (`conflict`, with what it holds now); fields that nobody else touched are merged by the verb.
 */
export const onlyIfUntouched = (
  actor: Actor,
  fields: Fields,
  readNow: (reader: Reader) => Promise<Record<string, string>>,
): Actor => ({
  ...actor,
  precondition: async (reader) => {
    const now = await readNow(reader);
    const faults = Object.entries(now).flatMap(([field, held]) => {
      const [began, sent] = [fields.raw(beganAs(field)), fields.raw(field)];
      const isTouched = began !== undefined && began !== held && sent !== held;
      return isTouched ? [{ field, rule: 'was changed by somebody else', now: held }] : [];
    });
    if (faults.length === 0) return;
    const message = 'Somebody else changed this in the meantime. Choose which version to keep.';
    throw new Refusal('conflict', message, {}, faults);
  },
});
