import { remembering } from '../base/remembering.ts';

/** Where no country follows from the time zone, as from UTC. */
const usual = 'US';

const remembered = remembering<string>(1_000);

// Typed in no library yet.
type WithZones = Intl.Locale & { getTimeZones?(): string[] | undefined };

/**
 * Which of these countries a time zone belongs to, by their ISO codes: the firm's phone numbers
 * without a country code are numbers of it.
 */
export const countryOfZone = <Country extends string>(
  timeZone: string,
  countries: readonly Country[],
): Country =>
  remembered(timeZone, () => {
    const zonesOf = (country: string) =>
      (new Intl.Locale(`und-${country}`) as WithZones).getTimeZones?.() ?? [];
    const named = countries.find((country) => zonesOf(country).includes(timeZone));
    if (named) return named;
    if (/^(UTC|GMT|Etc\/.*)$/.test(timeZone)) return usual;
    // Some zones have several names, of which a country has one. Formatted, they are called alike.
    const wanted = spokenOf(timeZone);
    const isSame = (zone: string) => spokenOf(zone) === wanted;
    return countries.find((country) => zonesOf(country).some(isSame)) ?? usual;
  }) as Country;

/** What a zone is called, with its city: `Kyiv Time`. */
const spokenOf = (timeZone: string) =>
  new Intl.DateTimeFormat('en', { timeZone, timeZoneName: 'shortGeneric' })
    .formatToParts(0)
    .find(({ type }) => type === 'timeZoneName')?.value;
