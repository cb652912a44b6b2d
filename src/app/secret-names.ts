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
