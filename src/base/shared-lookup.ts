/**
 * Shares one look-up among all who ask for the same thing at the same moment, without ever
 * answering from before the question: who asks while a look-up is under way gets the next one,
 * which starts when that one ends. So a change committed before the question is always seen.
 * Where the one under way fails, so do they: waiting for a second failure helps nobody.
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
