/**
 * How many letters of a word may be wrong before it counts as another word: 2 in a long one, else
 * 1.
 */
export const maxTypos = (word: string): number => ([...word].length < 7 ? 1 : 2);

/**
 * How many letters are wrong, missing, extra or swapped with the next; above `max`, only that it
 * is more.
 */
export const distanceBetween = (one: string, other: string, max: number): number => {
  const [a, b] = [[...one], [...other]];
  if (Math.abs(a.length - b.length) > max) return max + 1;
  let before: number[] = [];
  let row = Array.from({ length: b.length + 1 }, (_, at) => at);
  for (let i = 1; i <= a.length; i += 1) {
    const next = [i];
    for (let j = 1; j <= b.length; j += 1) {
      const isSame = a[i - 1] === b[j - 1];
      const isSwapped = i > 1 && j > 1 && a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1];
      next[j] = Math.min(
        cell(row, j) + 1,
        cell(next, j - 1) + 1,
        cell(row, j - 1) + (isSame ? 0 : 1),
        isSwapped ? cell(before, j - 2) + 1 : Number.POSITIVE_INFINITY,
      );
    }
    before = row;
    row = next;
  }
  return cell(row, b.length);
};

const cell = (row: number[], at: number) => row[at] ?? Number.POSITIVE_INFINITY;

/** Shorter words are near too many others. */
const shortestMisspelled = 4;

/**
 * Whether two names are equal except for case, punctuation and a small typo: `frist_name` and
 * `firstName`.
 */
export const isNearName = (one: string, another: string): boolean => {
  const [a, b] = [lettersOf(one), lettersOf(another)];
  if (a === b) return a !== '';
  if (Math.min(a.length, b.length) < shortestMisspelled) return false;
  const max = maxTypos(a);
  return distanceBetween(a, b, max) <= max;
};

const lettersOf = (name: string) => name.toLowerCase().replaceAll(/[^a-z]/g, '');
