// Without word boundaries: before a key may stand `%20`, or the `n` of an escaped line break.
const keyPattern = /mh_[0-9A-Za-z]{36}/g;

type Level = 'info' | 'warn' | 'error';

/** Writes one JSON line to standard error; an API key in any value is replaced by `mh_***`. */
export const log = (level: Level, event: string, fields: Record<string, unknown> = {}) => {
  if (level === 'info' && Bun.env.MATTERHORN_LOG === 'quiet') return;
  const line = JSON.stringify({ at: new Date().toISOString(), level, event, ...fields });
  process.stderr.write(`${line.replace(keyPattern, 'mh_***')}\n`);
};

/**
 * What may be logged of an error: its name, code and stack. A database error's message is kept,
 * but not its detail or parameters, which hold clients' names.
 */
export const describeError = (error: unknown): Record<string, unknown> => {
  const cause = error instanceof Error && error.cause instanceof Error ? error.cause : error;
  if (!(cause instanceof Error)) return { error: typeof cause };
  const { code, constraint_name: constraint } = cause as Error & Record<string, unknown>;
  return {
    error: cause.name,
    message: cause.message.slice(0, 500),
    code,
    constraint,
    stack: cause.stack,
  };
};
