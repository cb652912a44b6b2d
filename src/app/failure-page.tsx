/** @jsxImportSource preact */
import type { Refusal, RefusalCode } from '../base/refusal.ts';
import { targetOf } from '../http/target.ts';
import { pathWithin } from './address.ts';
import { namesInWords } from './said.ts';

const titles: Partial<Record<RefusalCode, string>> = {
  not_found: 'Nothing is here',
  forbidden: 'You do not have access',
  unavailable: 'Not available right now',
  internal_error: 'Something went wrong',
  payload_too_large: 'Too large',
  rate_limited: 'Too many requests',
};

/** The title of a page that says why it cannot be shown. */
export const failureTitle = ({ code }: Refusal) => titles[code] ?? 'There is a problem';

// The same words for a record that is unknown, another firm's, deleted, or private.
const nothingHere =
  'There is no page at this address, or you may not see it: it may have been deleted or made private.';

type FailureProps = {
  request: Request;
  refusal: Refusal;
  /** The firm's owners, where one of them can help. */
  owners: readonly string[];
};

/** Says why a page cannot be shown, and what to do. */
export const FailurePage = (props: FailureProps) => (
  <>
    <div class="head">
      <h1>{failureTitle(props.refusal)}</h1>
    </div>
    <Failure {...props} />
  </>
);

/** The same without a heading, for a card that has one. */
export const Failure = ({ request, refusal, owners }: FailureProps) => {
  const again = isPassing(refusal) && request.method === 'GET';
  return (
    <>
      <div class="failure" role="alert">
        <p>{refusal.code === 'not_found' ? nothingHere : linked(refusal.message)}</p>
        {owners.length > 0 && <p>{namesInWords(owners, 'or')} can give you access.</p>}
      </div>
      <p class="row after">
        {again && (
          <a class="button primary" href={pathOf(request)}>
            Try again
          </a>
        )}
        <a class="button" href="/">
          Home
        </a>
      </p>
    </>
  );
};

/** A sentence whose addresses can be followed. Refusals contain no text of the caller. */
const linked = (text: string) =>
  text
    .split(/(https?:\/\/[^\s/]+)/)
    .map((part, at) => (at % 2 === 1 ? <a href={`${part}/`}>{part}</a> : part));

/** Whether the same page may be shown a moment later. */
const isPassing = ({ code }: Refusal) =>
  ['unavailable', 'internal_error', 'rate_limited'].includes(code);

const pathOf = (request: Request) => {
  const { pathname, search } = targetOf(request);
  return pathWithin(`${pathname}${search}`);
};
