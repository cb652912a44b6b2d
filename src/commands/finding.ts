/** What is not as it should be, and what to do about it, each in one plain sentence. */
export type Finding = { level: 'problem' | 'warning'; what: string; do: string };

/** What keeps the service from being as it should be. */
export const problem = (what: string, whatToDo: string): Finding => ({
  ...{ level: 'problem', what, do: whatToDo },
});
/** What may become a problem, or is only not as it could be. */
export const warning = (what: string, whatToDo: string): Finding => ({
  ...{ level: 'warning', what, do: whatToDo },
});
