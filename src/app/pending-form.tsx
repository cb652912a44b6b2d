/** @jsxImportSource preact */
import { Refusal } from '../base/refusal.ts';
import { targetOf } from '../http/target.ts';
import { pathWithin } from './address.ts';
import { type Fields, maxFields } from './fields.ts';
import { isSecret } from './secret.tsx';
import type { OpenVisit } from './visit.ts';

/** The most that a form may send to be kept. */
const maxBytes = 24 * 1024;

/** What a page takes that a kept form travels through, with the page's own fields. */
export const bytesWithPending = 64 * 1024;

/** How long the text of a kept form may be: `maxBytes`, each field ended, in base64. */
const longestPending = 48 * 1024;

/**
 * Whether this is a form that a browser sends as a page, without a script: its member may have to
 * sign in or to prove who they are first, and what was typed must not be lost.
 */
export const canBePending = ({ method, headers }: Request): boolean =>
  method === 'POST' &&
  headers.get('sec-fetch-mode') === 'navigate' &&
  !headers.has('x-sent-by') &&
  (headers.get('content-type') ?? '').startsWith('application/x-www-form-urlencoded') &&
  Number(headers.get('content-length') ?? maxBytes + 1) <= maxBytes;

/** The address that a kept form is sent on to, with everything in it: `where`, and its own address. */
export const addressWithForm = (where: string, request: Request): string => {
  const { pathname, search } = targetOf(request);
  return `${where}&form=${encodeURIComponent(pathname + search)}`;
};

/** Whether this form was sent on to the page, to wait there. */
export const isSentOn = ({ query }: OpenVisit) => query.has('form');

/** A form that waits: its address, and its fields. Secrets are typed again. */
type Pending = { action: string; fields: [name: string, value: string][] };

/**
 * The form that was sent on to this page, as a text for `<PendingForm>`; undefined if none was.
 * Pages show the text again and again, so it has no character that HTML writes longer. Throws `Refusal`
 * payload_too_large for a form that no browser of ours sends on.
 */
export const pendingFrom = ({ query }: OpenVisit, fields: Fields): string | undefined => {
  const action = query.get('form');
  if (action === null) return undefined;
  const pairs = fields.names
    .filter((name) => !isSecret(name))
    .flatMap((name) => fields.all(name).map((value) => [name, value]));
  const pending = Buffer.from(`${new URLSearchParams([[pathWithin(action), ''], ...pairs])}`);
  const text = pending.toString('base64url');
  if (text.length <= longestPending) return text;
  throw new Refusal(
    'payload_too_large',
    'The text is too long to be held while you sign in. Sign in first, then send it again.',
  );
};

/** The text of a form that waits, as a page of ours sent it; undefined for none, and for others. */
export const pendingIn = (fields: Fields | undefined): string | undefined => {
  const text = fields?.raw('kept');
  return text && text.length <= longestPending && /^[\w-]+$/.test(text) ? text : undefined;
};

/** The form that waits, in the form that lets it go on. */
export const PendingForm = ({ pending }: { pending: string | undefined }) =>
  pending === undefined ? null : <input type="hidden" name="kept" value={pending} />;

const read = (pending: string): Pending => {
  const [[action] = ['/'], ...fields] = new URLSearchParams(
    Buffer.from(pending, 'base64url').toString(),
  );
  return fields.length > maxFields
    ? { action: '/', fields: [] }
    : { action: pathWithin(action), fields };
};

/**
 * The form that waited, with a button that sends it. With `itself`, a script sends it at once. A
 * browser's own submission is meant: the answer is a page.
 */
export const ResumeForm = ({
  pending,
  send,
  itself = false,
}: {
  pending: string;
  send: string;
  itself?: boolean;
}) => {
  const { action, fields } = read(pending);
  return (
    <form
      class="form"
      method="post"
      action={action}
      data-whole
      data-script={itself ? 'sends-itself' : undefined}
    >
      {fields.map(([name, value]) => (
        <input type="hidden" name={name} value={value} />
      ))}
      <button class="button primary wide">{send}</button>
    </form>
  );
};
