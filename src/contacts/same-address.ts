/**
 * When two phone numbers or two mail addresses are the same (docs/contract.md, Records). They are
 * stored as they were sent; only comparing reads them.
 */
import { domainToASCII, domainToUnicode } from 'node:url';
import { countryOfZone } from '../firm/country.ts';
import { digitsOf } from '../search-text/search-text.ts';

/** How the numbers of a firm are read. */
export type PhoneReader = {
  /** Whether two numbers are one, however each is written. */
  isSame(one: string, other: string): boolean;
  /** Whether a country could have it. */
  isPossible(number: string): boolean;
  /** The digits that every way to write the number has, one after the other. */
  digitsIn(number: string): string | undefined;
};

/** Where one of two numbers is none that a country could have, they are the same if so many of their last digits are. */
const sameDigits = 10;

/**
 * Reads numbers as somebody in a firm of this time zone dials them. The metadata of all countries is
 * loaded when the first number is compared: a server that compares none does not need it.
 */
export const phoneReader = async (timeZone: string): Promise<PhoneReader> => {
  const { getCountries, parsePhoneNumberFromString } = await import('libphonenumber-js/min');
  const defaultCountry = countryOfZone(timeZone, getCountries());
  const parsed = (text: string) => {
    if (text.length > 64) return undefined;
    const found = parsePhoneNumberFromString(text.normalize('NFKC'), {
      defaultCountry,
      extract: false,
    });
    return found?.isPossible() ? found : undefined;
  };
  return {
    isSame(one, other) {
      const [first, second] = [parsed(one), parsed(other)];
      if (first && second) return first.number === second.number;
      const digits = lastDigits(one);
      return digits !== undefined && digits === lastDigits(other);
    },
    isPossible: (number) => parsed(number) !== undefined,
    digitsIn(number) {
      return parsed(number)?.nationalNumber ?? lastDigits(number);
    },
  };
};

const lastDigits = (number: string) => {
  const digits = digitsOf(number).slice(-sameDigits);
  return digits.length === sameDigits ? digits : undefined;
};

const wholeAddress = /^[^\s@]+@[^\s@]+\.[^\s@]+$/;

/** An address in lower case, its domain in ASCII; undefined for what is no address. */
export const addressKey = (address: string): string | undefined => inDomain(address, domainToASCII);

/** The ways to write an address: with its domain in ASCII, and in the letters of its language. */
export const addressForms = (address: string): string[] => [
  ...new Set(
    [domainToASCII, domainToUnicode]
      .map((written) => inDomain(address, written))
      .filter((form) => form !== undefined),
  ),
];

const inDomain = (address: string, written: (domain: string) => string) => {
  const text = address.trim().toLowerCase();
  if (!wholeAddress.test(text)) return undefined;
  const at = text.lastIndexOf('@');
  const domain = text.slice(at + 1);
  return `${text.slice(0, at)}@${written(domain) || domain}`;
};
