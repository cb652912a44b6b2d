/** Whose request one is, as its log line says it. */
export type Caller = { firmId: string; keyId: string | null };

const callers = new WeakMap<Request, Caller>();

/** Notes who was found to have sent a request, whether or not they are admitted. */
export const noteCaller = (request: Request, caller: Caller) => void callers.set(request, caller);

/** Who sent a request; undefined where that is not known. */
export const callerOf = (request: Request) => callers.get(request);
