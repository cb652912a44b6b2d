const endings = new WeakMap<Request, (() => void)[]>();

/** Calls `end` when the request is answered, whatever the answer. */
export const whenAnswered = (request: Request, end: () => void) => {
  const others = endings.get(request);
  if (others) others.push(end);
  else endings.set(request, [end]);
};

/** The request is answered: calls what waited for that. */
export const noteAnswered = (request: Request) => {
  const waiting = endings.get(request);
  if (waiting) for (const end of waiting.splice(0)) end();
};
