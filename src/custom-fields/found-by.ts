/** What the index has of a record whose field holds this text. */
export const textKey = (field: string, text: string): string => `${field}=${text}`;

/**
 * What the index has at least one of for a record whose field holds a day from `from` to `to`, and
 * none of for others.
 */
export const dayKeys = (field: string, from: string, to: string): string[] =>
  partsWithin('', from, to).map((part) =>
    part.length === 10 ? textKey(field, part) : `${field}~${part}`,
  );

/** Where a day is cut: after each digit of its year, after its month. All days are between these. */
const [first, last] = ['0000-01-01', '9999-12-31'];
const digit = { least: 0, greatest: 9, written: (value: number) => String(value) };
const two = (value: number) => `-${String(value).padStart(2, '0')}`;
const cuts = [
  ...[1, 2, 3, 4].map((length) => ({ length, ...digit })),
  { length: 7, least: 1, greatest: 12, written: two },
  { length: 10, least: 1, greatest: 31, written: two },
];

// A part whose days are all asked for stands for its own parts.
const partsWithin = (start: string, from: string, to: string): string[] => {
  const cut = cuts.find(({ length }) => length > start.length);
  if (!cut) return [start];
  const values = Array.from(
    { length: cut.greatest - cut.least + 1 },
    (_, at) => `${start}${cut.written(cut.least + at)}`,
  );
  return values.flatMap((part) => {
    const [least, greatest] = [part + first.slice(cut.length), part + last.slice(cut.length)];
    if (greatest < from || least > to) return [];
    return least >= from && greatest <= to ? [part] : partsWithin(part, from, to);
  });
};
