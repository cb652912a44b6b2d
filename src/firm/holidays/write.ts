/**
 * Writes the table of public holidays from `date-holidays`: `bun src/firm/holidays/write.ts`, after that package has
 * changed. The library is 1.5 MB of code and takes 45 MB of memory; the table is 50 kB, and has years enough.
 *
 * The first line has the table's edition and its first year. A line that begins with `=` has a country and its parts,
 * each as `CODE|name`. Below it, a line for each holiday: the numbers of the places that have it, or `*`; its name; and
 * its days in each year, as months and days: `0101 01010102`.
 */
import Holidays from 'date-holidays';
import manifest from 'date-holidays/package.json' with { type: 'json' };
import { holidayTable } from './public.ts';

const firstYear = 2000;
const lastYear = 2050;
const years = Array.from({ length: lastYear - firstYear + 1 }, (_, index) => firstYear + index);

type Place = { code: string; name: string };

/** The public holidays of a place in a year, as months and days by their names. */
export const daysOf = (code: string, year: number): Map<string, string> => {
  const [country = '', state, region] = code.split('-');
  const place = { country, ...(state && { state }), ...(region && { region }) };
  const days = new Map<string, string>();
  for (const one of new Holidays(place).getHolidays(year, 'en')) {
    // On bank holidays, "banks and offices are closed".
    if (one.type !== 'public' && one.type !== 'bank') continue;
    const begins = Date.parse(`${one.date.slice(0, 19).replace(' ', 'T')}Z`);
    const ends = begins + (one.end.getTime() - one.start.getTime());
    // A day belongs to a holiday that has its noon: some begin at sunset, others end early.
    for (let noon = noonOf(begins); noon < ends; noon += dayLength) {
      if (noon < begins) continue;
      const day = new Date(noon).toISOString();
      if (Number(day.slice(0, 4)) !== year) continue;
      const name = one.name.replaceAll(/[\t\n]/g, ' ');
      days.set(name, `${days.get(name) ?? ''}${day.slice(5, 7)}${day.slice(8, 10)}`);
    }
  }
  return days;
};

const dayLength = 86_400_000;

const noonOf = (at: number) => Math.floor(at / dayLength) * dayLength + dayLength / 2;

/** A country and its parts. */
const placesOf = (country: string, name: string): Place[] => {
  const all = new Holidays();
  const parts = Object.entries(all.getStates(country, 'en') ?? {});
  return [
    { code: country, name },
    ...parts.flatMap(([part, partName]) => [
      { code: `${country}-${part}`, name: partName },
      ...Object.entries(all.getRegions(country, part, 'en') ?? {}).map(([region, regionName]) => ({
        code: `${country}-${part}-${region}`,
        name: `${partName}, ${regionName}`,
      })),
    ]),
  ];
};

const linesOf = (places: readonly Place[]): string[] => {
  const placesWith = new Map<string, number[]>();
  for (const [index, { code }] of places.entries()) {
    const inYears = years.map((year) => daysOf(code, year));
    for (const name of new Set(inYears.flatMap((days) => [...days.keys()]))) {
      const line = `${name}\t${inYears.map((days) => days.get(name) ?? '').join(' ')}`;
      placesWith.set(line, [...(placesWith.get(line) ?? []), index]);
    }
  }
  return [
    `=${places.map(({ code, name }) => `${code}|${name}`).join('\t')}`,
    ...[...placesWith].map(([line, having]) =>
      [having.length === places.length ? '*' : having.join(','), line].join('\t'),
    ),
  ];
};

if (import.meta.main) {
  const names = new Intl.DisplayNames(['en'], { type: 'region' });
  const countries = Object.keys(new Holidays().getCountries())
    .map((code) => ({ code, name: names.of(code) ?? code }))
    .sort((one, other) => one.name.localeCompare(other.name, 'en'));
  const text = [
    `date-holidays ${manifest.version}\t${firstYear}`,
    ...countries.flatMap(({ code, name }) => linesOf(placesOf(code, name))),
  ].join('\n');
  await Bun.write(holidayTable, Bun.zstdCompressSync(text, { level: 19 }));
}
