/** @jsxImportSource preact */
import { targetOf } from '../http/target.ts';
import { pathWithin } from './address.ts';
import type { Fields } from './fields.ts';
import type { OpenVisit } from './visit.ts';

/** The most that a form may send to be kept. */
const mostBytes = 24 * 1024;

/** What a page takes that a kept form travels through. As JSON in a form it is at most twice as long. */
export const bytesWithKept = 64 * 1024;

/**
 * Whether this is a form that a browser sends as a page, without a script: its member may have to
 * sign in or to prove who they are first, and what was typed must not be lost.
 */
export const canBeKept = ({ method, headers }: Request): boolean =>
  method === 'POST' &&
  headers.get('sec-fetch-mode') === 'navigate' &&
  !headers.has('x-sent-by') &&
  (headers.get('content-type') ?? '').startsWith('application/x-www-form-urlencoded') &&
  Number(headers.get('content-length') ?? mostBytes + 1) <= mostBytes;

/** The address that a kept form is sent on to, with everything in it: `where`, and its own address. */
export const onwardWith = (where: string, request: Request): string => {
  const { pathname, search } = targetOf(request);
  return `${where}&form=${encodeURIComponent(pathname + search)}`;
};

/** A form that waits: its address, and its fields in order. Secrets are typed again. */
type Kept = { action: string; fields: [name: string, value: string][] };

const isSecret = (name: string) => /^(password|present|code|answer)$/.test(name);

/** The form that was sent on to this page, as a text for `<KeptForm>`; undefined if none was. */
export const keptFrom = ({ query }: OpenVisit, fields: Fields): string | undefined => {
  const action = query.get('form');
  if (action === null) return undefined;
  const kept: Kept = {
    action: pathWithin(action),
    fields: fields.names
      .filter((name) => !isSecret(name))
      .flatMap((name) => fields.all(name).map((value): [string, string] => [name, value])),
  };
  return JSON.stringify(kept);
};

/** The form that waits, in the form that lets it go on. */
export const KeptForm = ({ kept }: { kept: string | undefined }) =>
  kept === undefined ? null : <input type="hidden" name="kept" value={kept} />;

const read = (text: string): Kept => {
  try {
    const { action, fields } = JSON.parse(text) as Kept;
    const isPair = (one: unknown) =>
      Array.isArray(one) && one.length === 2 && one.every((part) => typeof part === 'string');
    if (typeof action === 'string' && Array.isArray(fields) && fields.every(isPair)) {
      return { action: pathWithin(action), fields };
    }
  } catch {
    // Not what a page of ours has sent.
  }
  return { action: '/', fields: [] };
};

/**
 * The form that waited, with a button that sends it. With `itself`, a script sends it at once. A
 * browser's own submission is meant: the answer is a page.
 */
export const SendKept = ({
  kept,
  send,
  itself = false,
}: {
  kept: string;
  send: string;
  itself?: boolean;
}) => {
  const { action, fields } = read(kept);
  return (
    <form
      class="form"
      method="post"
      action={action}
      data-whole
      data-sends-itself={itself || undefined}
    >
      {fields.map(([name, value]) => (
        <input type="hidden" name={name} value={value} />
      ))}
      <button class="button primary wide">{send}</button>
    </form>
  );
};
