/** Whose request it is, for its log line. */
type Caller = { firmId: string; keyId: string | null };

const callers = new WeakMap<Request, Caller>();

/** Notes who sent a request, whether or not they are admitted. */
export const noteCaller = (request: Request, caller: Caller) => void callers.set(request, caller);

/** Who sent a request; undefined if that is not known. */
export const callerOf = (request: Request) => callers.get(request);
