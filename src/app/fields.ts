import { invalid, Refusal } from '../base/refusal.ts';
import { bytesOf } from '../http/body-bytes.ts';
import type { Actor, Reader } from '../record/actor.ts';

export { checked } from '../base/checked.ts';

/** The fields that a form sent. */
export type Fields = {
  /** The text of a field, trimmed; undefined if the field was not sent. */
  text(name: string): string | undefined;
  /** The text exactly as sent, for passwords and to show it again. */
  raw(name: string): string | undefined;
  /** All texts with a name (check boxes, lists with several choices). */
  all(name: string): string[];
  has(name: string): boolean;
  file(name: string): File | undefined;
  names: string[];
};

/**
 * Reads a form. Throws `Refusal` payload_too_large over `mostBytes`, and invalid_request for
 * another kind of body, for NUL and for half a surrogate pair.
 */
export const readFields = async (request: Request, mostBytes: number): Promise<Fields> => {
  const type = request.headers.get('content-type') ?? '';
  if (!/^(application\/x-www-form-urlencoded|multipart\/form-data)\b/i.test(type)) {
    throw invalid('The form was not sent as a form.');
  }
  const bytes = request.body ? await bytesOf(request, mostBytes, tooLarge) : new Uint8Array();
  const sent = await parse(bytes, type);
  for (const value of sent.values()) {
    if (typeof value === 'string' && (value.includes('\0') || !value.isWellFormed())) {
      throw invalid('The form contains a character that cannot be stored.');
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

const tooLarge = (mostBytes: number) =>
  new Refusal(
    'payload_too_large',
    `This is more than the ${inWords(mostBytes)} that can be sent at once.`,
  );

const inWords = (bytes: number) =>
  bytes < 1024 * 1024 ? `${bytes / 1024} KiB` : `${bytes / 1024 / 1024} MiB`;

const parse = async (bytes: Uint8Array<ArrayBuffer>, type: string): Promise<FormData> => {
  try {
    return await new Response(bytes, { headers: { 'content-type': type } }).formData();
  } catch {
    throw invalid('The form did not arrive completely. Send it again.');
  }
};

/** The name of the hidden field that holds a field's value from the beginning of the edit. */
export const beganAs = (name: string) => `was.${name}`;

/**
 * The fields of a form that have changed since the edit began, and those sent without their first
 * values. So two people may change different fields of one form.
 */
export const edited = (fields: Fields): Fields => {
  const isLeft = (sent: string) => {
    const name = sent.replace(/^(was|several)\./, '');
    const began = fields.raw(beganAs(name));
    return began === undefined || began !== fields.raw(name);
  };
  return {
    raw: (name) => (isLeft(name) ? fields.raw(name) : undefined),
    text: (name) => (isLeft(name) ? fields.text(name) : undefined),
    all: (name) => (isLeft(name) ? fields.all(name) : []),
    has: (name) => isLeft(name) && fields.has(name),
    file: (name) => fields.file(name),
    names: fields.names.filter(isLeft),
  };
};

/**
 * The fields of a form as they will be saved: what was changed since the edit began, and otherwise
 * what the record holds `now`. They count as begun from `now`.
 */
export const settled = (fields: Fields, now: Record<string, string>): Fields => {
  const raw = (name: string) => {
    const base = name.replace(/^was\./, '');
    const held = now[base];
    if (held === undefined) return fields.raw(name);
    if (base !== name) return held;
    const began = fields.raw(beganAs(name));
    return began !== undefined && began === (fields.raw(name) ?? '') ? held : fields.raw(name);
  };
  return {
    ...fields,
    raw,
    text: (name) => raw(name)?.trim(),
    all: (name) => (name in now ? (raw(name) ?? '').split('\n').filter(Boolean) : fields.all(name)),
    has: (name) => Boolean(raw(name)),
  };
};

/**
 * Refuses a form (`conflict`, with the present values) if somebody else changed a field that it
 * changes too.
 */
export const refuseTouched = (fields: Fields, now: Record<string, string>) => {
  const faults = Object.entries(now).flatMap(([field, held]) => {
    const [began, sent] = [fields.raw(beganAs(field)), fields.raw(field)];
    const isTouched = began !== undefined && began !== held && sent !== held;
    return isTouched ? [{ field, rule: 'was changed by somebody else', now: held }] : [];
  });
  if (faults.length === 0) return;
  const message = 'Somebody else changed this in the meantime. Choose which version to keep.';
  throw new Refusal('conflict', message, {}, faults);
};

/**
 * An actor for an edit that must not undo another person's change. First the verb reads with
 * `readNow` what the fields hold now. If a field differs from the beginning of the edit and from
 * what is sent, it is refused (`conflict`, with the present value). The verb merges the other
 * fields.
 */
export const onlyIfUntouched = (
  actor: Actor,
  fields: Fields,
  readNow: (reader: Reader) => Promise<Record<string, string>>,
): Actor => ({
  ...actor,
  precondition: async (reader) => refuseTouched(fields, await readNow(reader)),
});
