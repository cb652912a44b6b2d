/**
 * Shares one look-up among everyone who asks for the same key at the same moment. Nobody gets an
 * answer that is older than their question: if a look-up is under way, a newcomer gets the next
 * one, which starts when that one ends. So a change that was committed before the question is
 * always seen. If the current look-up fails, the waiting ones fail too: a second failure would help
 * nobody.
 */
export const shareLookups = <Value>(lookUp: (key: string) => Promise<Value>) => {
  const running = new Map<string, { now: Promise<Value>; next?: Promise<Value> }>();

  const start = (key: string): Promise<Value> => {
    const entry: { now: Promise<Value>; next?: Promise<Value> } = { now: lookUp(key) };
    running.set(key, entry);
    const done = () => {
      if (entry.next === undefined) running.delete(key);
    };
    entry.now.then(done, () => running.delete(key));
    return entry.now;
  };

  return (key: string): Promise<Value> => {
    const entry = running.get(key);
    if (entry === undefined) return start(key);
    entry.next ??= entry.now.then(() => start(key));
    return entry.next;
  };
};
