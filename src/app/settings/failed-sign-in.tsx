/** @jsxImportSource preact */
import type { FailedSignIn } from '../../sign-in/failure.ts';
import { Moment } from '../moments.tsx';
import { browserWords } from './browser-words.ts';

const wrong = { password: 'a wrong password', code: 'a wrong code', passkey: 'a wrong passkey' };

export const LastFailed = ({ last }: { last: FailedSignIn | undefined }) =>
  last ? (
    <p>
      Last failed attempt: <Moment at={last.at.toISOString()} />, with {wrong[last.with]}, from{' '}
      {last.address}, {browserWords(last.browser)}.
    </p>
  ) : (
    <p class="muted">There were no failed attempts to sign in.</p>
  );
