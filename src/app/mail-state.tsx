/** @jsxImportSource preact */
import type { MailState } from '../mail/table.ts';

/** What the state of a mail is called. */
export const mailStates: Record<MailState, string> = {
  queued: 'Queued',
  accepted: 'Accepted',
  refused: 'Refused',
  given_up: 'Given up',
  withdrawn: 'Withdrawn',
};

const mailTags: Record<MailState, string> = {
  queued: 'tag',
  accepted: 'tag ok',
  refused: 'tag danger',
  given_up: 'tag danger',
  withdrawn: 'tag',
};

/** How a mail stands, in a list of mails. */
export const MailTag = ({ state }: { state: MailState }) => (
  <span class={mailTags[state]}>{mailStates[state]}</span>
);
