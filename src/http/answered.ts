const endings = new WeakMap<Request, (() => void)[]>();

/** Has `end` called once the request is answered, however it is. */
export const whenAnswered = (request: Request, end: () => void) => {
  const others = endings.get(request);
  if (others) others.push(end);
  else endings.set(request, [end]);
};

/** The request is answered: what waited for that is done. */
export const noteAnswered = (request: Request) => {
  for (const end of endings.get(request)?.splice(0) ?? []) end();
};
