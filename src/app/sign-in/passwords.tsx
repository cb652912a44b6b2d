/** @jsxImportSource preact */
import { passwordLength } from '../../sign-in/password.ts';
import { Secret } from '../secret.tsx';

/** What the field for the password that a member already has is made of. */
export const knownPassword = {
  name: 'password',
  label: 'Password',
  ask: 'Enter your password.',
  autocomplete: 'current-password',
  required: true,
} as const;

type NewPasswordProps = { label?: string; hint?: string; first?: boolean };

/** The field for a password that a member chooses. `hint` is a sentence more for its hint. */
export const NewPassword = ({ label = 'Password', hint = '', first }: NewPasswordProps) => (
  <Secret
    name="password"
    label={label}
    hint={`${passwordLength.least} characters or more.${hint && ` ${hint}`}`}
    autocomplete="new-password"
    required
    {...(first && { first })}
  />
);

/** What a member is told who may be signed in elsewhere. */
export const signsOutElsewhere = 'A new password signs you out everywhere else.';
