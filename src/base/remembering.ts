/**
 * Remembers what was made for each name: the returned function makes it at the first call only. Past
 * `max`, it forgets all of them; each counts as one, or as `sizeOf` says. For what takes long to
 * make, and can be made again.
 */
export const remembering = <Made>(
  max: number,
  sizeOf: (name: string, made: Made) => number = () => 1,
) => {
  const known = new Map<string, Made>();
  let size = 0;
  return (name: string, make: () => Made): Made => {
    const found = known.get(name);
    if (found !== undefined) return found;
    const made = make();
    size += sizeOf(name, made);
    if (size > max) {
      known.clear();
      size = sizeOf(name, made);
    }
    known.set(name, made);
    return made;
  };
};
