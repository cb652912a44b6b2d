/**
 * The name of the rule that a row broke; undefined for any other error. A distributed Postgres names
 * it only in the message, with the number of a part of the table at its end.
 */
export const constraintOf = (error: unknown): string | undefined => {
  const { constraint_name: name, message = '' } = (error ?? {}) as Record<
    string,
    string | undefined
  >;
  const named = name ?? /constraint "([^"]+)"/.exec(message)?.[1];
  return named?.replace(/_\d{6,}$/, '');
};
