import { invalidField } from '../base/refusal.ts';
import { distanceBetween, maxTypos } from '../base/spelling.ts';

/** The time zones that a firm can be in, by their IANA names. */
export const timeZones: readonly string[] = [
  ...new Set(['UTC', ...Intl.supportedValuesOf('timeZone')]),
];

/** The time zone of a firm that was made without one. */
export const usualTimeZone = 'UTC';

const maxSuggestions = 3;

/**
 * Reads the IANA name of a time zone. Throws `Refusal` invalid_request, naming the field, with the
 * zones that are called nearly so.
 */
export const timeZoneFrom = (text: string, field = 'timeZone'): string => {
  const name = text.trim();
  if (isTimeZone(name)) return name;
  const near = zonesLike(name).slice(0, maxSuggestions);
  const suggestion = near.length > 0 ? `Did you mean ${near.join(' or ')}? ` : '';
  throw invalidField(
    field,
    'must be the name of a time zone',
    `${suggestion}Names are like America/New_York, Europe/London and UTC.`,
  );
};

/** Whether this is a time zone's IANA name. */
const isTimeZone = (name: string) => {
  try {
    return new Intl.DateTimeFormat('en', { timeZone: name }) !== undefined && /^[A-Z]/.test(name);
  } catch {
    return false;
  }
};

/** Zones whose whole name, or whose city, is this but for case, punctuation and a small typo. */
const zonesLike = (name: string): string[] => {
  const wanted = lettersOf(name);
  if (wanted === '') return [];
  const max = maxTypos(wanted);
  return timeZones
    .map((zone) => {
      const city = zone.slice(zone.lastIndexOf('/') + 1);
      const distances = [zone, city].map((one) => distanceBetween(wanted, lettersOf(one), max));
      return { zone, distance: Math.min(...distances) };
    })
    .filter(({ distance }) => distance <= max)
    .sort((one, other) => one.distance - other.distance)
    .map(({ zone }) => zone);
};

const lettersOf = (text: string) =>
  text
    .slice(0, 100)
    .toLowerCase()
    .replaceAll(/[^a-z]/g, '');
