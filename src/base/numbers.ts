const numbers = new Intl.NumberFormat('en-GB');

/** A number as people read it: `1,200`. A list writes many small ones, which need no format. */
export const written = (number: number): string =>
  Number.isInteger(number) && number >= 0 && number < 1_000
    ? String(number)
    : numbers.format(number);
