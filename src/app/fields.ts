import { newId } from '../base/columns.ts';
import { sentenceOf } from '../base/explain.ts';
import { written } from '../base/numbers.ts';
import { openPace } from '../base/pace.ts';
import { invalid, Refusal } from '../base/refusal.ts';
import { isRequired } from '../base/rule.ts';
import { isLonger } from '../base/shapes.ts';
import { bytesOf } from '../http/body-bytes.ts';

export { checked } from '../base/checked.ts';

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

/** How many fields a form may have. The largest form of the application sends about half of it. */
export const maxFields = 5_000;
/** How long the name of a field may be, in code points. A custom field's own name has 255 of them. */
const longestFieldName = 300;
/** What a form without files may send. */
export const maxFormBytes = 1024 * 1024;

/**
 * Reads a form. Throws `Refusal` payload_too_large over `maxBytes`, and over the limits for the
 * number of fields and their names; invalid_request for another kind of body, for NUL and for half a
 * surrogate pair.
 */
export const readFields = async (request: Request, maxBytes: number): Promise<Fields> => {
  const type = request.headers.get('content-type') ?? '';
  const [, kind] = /^(application\/x-www-form-urlencoded|multipart\/form-data)\b/i.exec(type) ?? [];
  if (!kind) throw invalid('What was sent is not a form. Reload the page, and send its form.');
  // Only a form in parts has files.
  const max = /^m/i.test(kind) ? maxBytes : Math.min(maxBytes, maxFormBytes);
  const bytes = request.body ? await bytesOf(request, max, tooLarge) : new Uint8Array();
  if (isOfMore(bytes, separatorOf(type))) throw tooManyFields();
  const giveWay = openPace();
  const sent = [...(await parse(bytes, type))];
  // A large file has taken a while.
  await giveWay();
  return grouped(sent);
};

/** What stands between two fields of a body. */
const separatorOf = (type: string) => {
  const [, quoted, plain] = /\bboundary=(?:"([^"]+)"|([^\s;]+))/i.exec(type) ?? [];
  return /^m/i.test(type) ? `--${quoted ?? plain ?? ''}` : '&';
};

/** Whether a body may have more fields than are taken. Asked before anything is made of them. */
const isOfMore = (bytes: Uint8Array<ArrayBuffer>, separator: string) => {
  const body = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  let [count, at] = [0, body.indexOf(separator)];
  for (; at >= 0 && count <= maxFields; count += 1) at = body.indexOf(separator, at + 1);
  return count > maxFields;
};

/**
 * The fields of a form by their names, grouped once: whatever asks for them afterwards costs no more
 * for the thousandth name than for the first.
 */
const grouped = (sent: [name: string, value: string | File][]): Fields => {
  if (sent.length > maxFields) throw tooManyFields();
  const texts = new Map<string, string[]>();
  const files = new Map<string, File>();
  const names = new Set<string>();
  for (const [name, value] of sent) {
    if (isLonger(name, longestFieldName)) throw nameTooLong();
    names.add(name);
    if (typeof value !== 'string') {
      // Where no file was chosen, one without a name and without content is sent.
      if ((value.name || value.size > 0) && !files.has(name)) files.set(name, value);
      continue;
    }
    if (value.includes('\0') || !value.isWellFormed()) {
      throw invalid('The form contains a character that cannot be stored.');
    }
    const under = texts.get(name);
    if (under) under.push(value);
    else texts.set(name, [value]);
  }
  const raw = (name: string) => texts.get(name)?.[0]?.replaceAll('\r\n', '\n');
  return {
    raw,
    text: (name) => raw(name)?.trim(),
    all: (name) => texts.get(name) ?? [],
    has: (name) => names.has(name),
    file: (name) => files.get(name),
    names: [...names],
  };
};

/** Throws one `Refusal` with all of these fields that were left empty. */
export const mustHave = (fields: Fields, ...names: string[]) => {
  const faults = names
    .filter((name) => !fields.text(name))
    .map((field) => ({ field, ...isRequired() }));
  const [first] = faults;
  if (first) throw new Refusal('invalid_request', sentenceOf(first), {}, faults);
};

const tooLarge = (maxBytes: number) =>
  new Refusal(
    'payload_too_large',
    `The form is larger than the ${inWords(maxBytes)} that can be sent at once.`,
  );

const tooManyFields = () =>
  new Refusal(
    'payload_too_large',
    `This form has more than the ${written(maxFields)} fields that can be sent at once.`,
  );

const nameTooLong = () =>
  new Refusal(
    'payload_too_large',
    `A field of this form has a name of more than ${longestFieldName} characters.`,
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
export const originalName = (name: string) => `was.${name}`;

/**
 * The fields of a form that have changed since the edit began, and those sent without their first
 * values. So two people may change different fields of one form.
 */
export const changedOnly = (fields: Fields): Fields => {
  const isLeft = (sent: string) => {
    const name = sent.replace(/^(was|several)\./, '');
    const began = fields.raw(originalName(name));
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

/** The hidden field that tells a repeated form from a second one. */
export const onceField = 'once';

/** What a form says in that field: each time a form is shown it has another. */
export const newOnce = (): string => newId();
