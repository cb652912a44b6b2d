/** @jsxImportSource preact */
import { Field, type FieldProps, useField } from './field.tsx';
import type { SecretName } from './secret-names.ts';

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
