/** Chance that can be repeated from its seed. */
export const chanceOf = (seed: number) => {
  let state = seed >>> 0;
  const random = () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
  return {
    random,
    /** Whether it happens, at this probability. */
    happens: (probability: number) => random() < probability,
    /** A whole number from one to another, both included. */
    from: (least: number, max: number) => least + Math.floor(random() * (max - least + 1)),
    among: <One>(all: readonly One[]): One => all[Math.floor(random() * all.length)] as One,
  };
};
