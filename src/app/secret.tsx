/** @jsxImportSource preact */
import { Field, type FieldProps, useField } from './field.tsx';

/**
 * The names of the fields that hold a secret. `<Secret>` takes no other name, and no other field is
 * of the type password, so that a form that waits for its member keeps none of them.
 */
const secretNames = [
  ...(['password', 'present', 'code', 'answer'] as const),
  ...(['clientSecret', 'refreshToken'] as const),
] as const;

export type SecretName = (typeof secretNames)[number];

/** The field that a passkey's answer is put into. */
export const answerOfPasskey: SecretName = 'answer';

export const isSecret = (name: string) => secretNames.some((one) => one === name);

type SecretProps = FieldProps & {
  name: SecretName;
  /** A password is not shown while it is typed, and is typed again after a refusal. */
  type?: 'password' | 'text';
  autocomplete: 'current-password' | 'new-password' | 'one-time-code';
  inputmode?: 'numeric';
};

/** The field for a password or a code. What is typed into it is never kept. */
export const Secret = (props: SecretProps) => {
  const field = useField(props, undefined);
  const { type = 'password', autocomplete, inputmode } = props;
  return (
    <Field {...props} field={field}>
      <input
        class="input"
        {...field.control}
        {...({ type, autocomplete, inputmode } as { type: 'text' })}
        required={props.required}
        value={type === 'password' ? '' : field.value}
      />
    </Field>
  );
};
