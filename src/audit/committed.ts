const listeners = new Set<(firmId: string) => void>();

/** Calls `listener` with the firm of each write of this process that is committed. Returns how to stop. */
export const onCommitted = (listener: (firmId: string) => void): (() => void) => {
  listeners.add(listener);
  return () => void listeners.delete(listener);
};

/** A write of this firm is committed, and its entries are in the audit log. */
export const noteCommitted = (firmId: string) => {
  for (const listener of listeners) listener(firmId);
};
