/**
 * Remembers what was made for each name: the returned function makes it at the first call only. After
 * `most` names it forgets all of them. For what takes long to make, and can be made again.
 */
export const remembering = <Made>(most: number) => {
  const known = new Map<string, Made>();
  return (name: string, make: () => Made): Made => {
    const found = known.get(name);
    if (found !== undefined) return found;
    const made = make();
    if (known.size >= most) known.clear();
    known.set(name, made);
    return made;
  };
};
