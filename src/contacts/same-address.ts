/**
 * When two phone numbers or two mail addresses are the same (docs/contract.md, Records). They are
 * stored as they were sent; only comparing reads them.
 */
import { domainToASCII, domainToUnicode } from 'node:url';
import { remembering } from '../base/remembering.ts';
import { countryOfZone } from '../firm/country.ts';
import { digitsOf } from '../search-text/search-text.ts';

/** A phone number as a firm reads it. */
export type ReadPhone = {
  /** Its E.164 form; undefined for what no country could have. */
  e164: string | undefined;
  /** Its last ten digits; undefined for what has fewer. */
  lastDigits: string | undefined;
  /** The digits that every way to write it has, one after the other; undefined for what is no number. */
  digits: string | undefined;
  /** What is dialled after it, if its E.164 form is known. */
  extension: string | undefined;
};

const lastDigitsCompared = 10;

/**
 * Reads numbers as somebody in a firm of this time zone dials them. The metadata of all countries is
 * loaded when the first number is read: a server that compares none does not need it.
 */
export const phoneReader = async (timeZone: string): Promise<(number: string) => ReadPhone> => {
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
  const read = (number: string): ReadPhone => {
    const known = parsed(number);
    const end = digitsOf(number).slice(-lastDigitsCompared);
    const lastDigits = end.length === lastDigitsCompared ? end : undefined;
    const digits = known?.nationalNumber ?? lastDigits;
    return { e164: known?.number, lastDigits, digits, extension: known?.ext };
  };
  return (number) => readBefore(`${defaultCountry} ${number}`, () => read(number));
};

/** To read a number takes longer than to find it in an index. */
const readBefore = remembering<ReadPhone>(5_000);

/** Whether two numbers are one. Where one of them is none that a country could have, the last ten digits decide. */
export const isSamePhone = (one: ReadPhone, other: ReadPhone): boolean =>
  one.e164 && other.e164
    ? one.e164 === other.e164
    : one.lastDigits !== undefined && one.lastDigits === other.lastDigits;

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
