/** @jsxImportSource preact */
import { passwordLength } from '../../sign-in/password.ts';
import { Text } from '../form.tsx';

/** The field for a password that a member chooses. `says` is a sentence more for its hint. */
export const NewPassword = ({
  label = 'Password',
  says = '',
  first,
}: {
  label?: string;
  says?: string;
  first?: boolean;
}) => (
  <Text
    name="password"
    label={label}
    hint={`${passwordLength.least} characters or more.${says && ` ${says}`}`}
    type="password"
    autocomplete="new-password"
    required
    {...(first && { first })}
  />
);

/** What a member is told who may be signed in elsewhere. */
export const signsOutElsewhere = 'It signs you out everywhere else.';
