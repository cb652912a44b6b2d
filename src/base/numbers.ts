const numbers = new Intl.NumberFormat('en-GB');

/** A number as people read it: `1,200`. A list writes many small ones, which need no format. */
export const written = (number: number): string =>
  Number.isInteger(number) && number >= 0 && number < 1_000
    ? String(number)
    : numbers.format(number);

const withDecimalComma = /^[-+]?(\d{1,3}(\.\d{3})+|\d+),\d{1,2}$|^[-+]?0,\d+$/;
const withThousands = /^[-+]?[1-9]\d{0,2}(,\d{2,3})*,\d{3}(\.\d+)?$/;
const plainNumber = /^[-+]?\d+(\.\d+)?$/;

/**
 * The number that somebody wrote, with or without a currency: `1,234.50`, `1.234,50` and `99,9`. Undefined if it is no
 * number, or if nobody can tell which one.
 */
export const numberFrom = (text: string): number | undefined => {
  const bare = text.replaceAll(/[\s$€£%]|USD|EUR|GBP/g, '');
  if (withDecimalComma.test(bare)) return Number(bare.replaceAll('.', '').replace(',', '.'));
  const plain = withThousands.test(bare) ? bare.replaceAll(',', '') : bare;
  return plainNumber.test(plain) ? Number(plain) : undefined;
};
