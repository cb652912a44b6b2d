/**
 * Whether the large tests run at their whole size: WHOLE=1, as `.ci/run` has it on a
 * quick machine. Without it they take a part of their many pages, values or releases, so that a run of
 * all tests takes minutes.
 */
export const isWhole = Boolean(process.env.WHOLE);

/**
 * Which of so many shares something belongs to, by its name alone: it stays there whatever is added
 * beside it, and in whatever order it comes.
 */
export const shareOf = (name: string, shares: number): number => Bun.hash.crc32(name) % shares;

/** One share of many, chosen by their names, but at least one of them; with WHOLE=1 all. */
export const partOf = <One>(
  all: readonly One[],
  shares: number,
  nameOf: (one: One) => string,
): readonly One[] => {
  if (isWhole) return all;
  const part = all.filter((one) => shareOf(nameOf(one), shares) === 0);
  if (part.length > 0) return part;
  return all.toSorted((one, other) => (nameOf(one) < nameOf(other) ? -1 : 1)).slice(0, 1);
};
