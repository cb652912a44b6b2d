/** @jsxImportSource preact */
import type { Refusal, RefusalCode } from '../base/refusal.ts';
import { Icon } from './icon.tsx';

const titles: Partial<Record<RefusalCode, string>> = {
  not_found: 'Nothing is here',
  forbidden: 'Not for your role',
  unavailable: 'Not available right now',
  internal_error: 'Something went wrong',
  payload_too_large: 'Too large',
  rate_limited: 'Too many requests',
};

/** The title of a page that says why it cannot be shown. */
export const failureTitle = ({ code }: Refusal) => titles[code] ?? 'This could not be done';

// The same words for a record that is unknown, another firm's, deleted, or private.
const nothingHere =
  'There is no page at this address, or you may not see it: it may have been deleted or made private.';

/** Says why a page cannot be shown, and what to do. */
export const FailurePage = ({ refusal, owners }: { refusal: Refusal; owners: string[] }) => (
  <>
    <div class="head">
      <h1>{failureTitle(refusal)}</h1>
    </div>
    <Failure refusal={refusal} owners={owners} />
  </>
);

/** The same without a heading, for a card that has one. */
export const Failure = ({ refusal, owners }: { refusal: Refusal; owners: string[] }) => (
  <>
    <div class="banner warn" role="alert">
      <Icon name={refusal.code === 'forbidden' ? 'lock' : 'circle-alert'} />
      <div>
        <p>{refusal.code === 'not_found' ? nothingHere : refusal.message}</p>
        {owners.length > 0 && <p>Owners: {owners.join(', ')}.</p>}
      </div>
    </div>
    <p class="after">
      <a class="button" href="/">
        Home
      </a>
    </p>
  </>
);
