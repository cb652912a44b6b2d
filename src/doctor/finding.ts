/**
 * Something that is not as it should be, and what to do about it at the terminal, each in one plain
 * sentence. `page` is where the firm's people can put it right in the application.
 */
export type Finding = { level: 'problem' | 'warning'; what: string; do: string; page?: string };

/** Something that keeps the service from working as it should. */
export const problem = (what: string, whatToDo: string): Finding => ({
  level: 'problem',
  what,
  do: whatToDo,
});
/** Something that may become a problem, or could be better. */
export const warning = (what: string, whatToDo: string, page?: string): Finding => ({
  level: 'warning',
  what,
  do: whatToDo,
  ...(page && { page }),
});
