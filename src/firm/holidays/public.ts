/** The public holidays of the world, from a table that the executable carries. It is read when somebody needs it. */
import holidayTable from './holidays.zst' with { type: 'file' };

export { holidayTable };

/** A country or a part of one: `US-NY`, `New York`, and its country's name. */
export type HolidayPlace = { code: string; name: string; country: string };

export type Holiday = { day: string; name: string };

const read = async () =>
  Buffer.from(await Bun.zstdDecompress(await Bun.file(holidayTable).bytes()))
    .toString()
    .split('\n');

const placesIn = (line: string): HolidayPlace[] => {
  const places = line
    .slice(1)
    .split('\t')
    .map((place) => place.split('|') as [code: string, name: string]);
  const country = places[0]?.[1] ?? '';
  return places.map(([code, name]) => ({ code, name, country }));
};

const isCountry = (line: string) => line.startsWith('=');

/** Every place whose holidays are known: each country, by its name, and behind it its parts. */
export const holidayPlaces = async (): Promise<HolidayPlace[]> =>
  (await read()).filter(isCountry).flatMap(placesIn);

/** Which table it is: another one may know other days. */
export const holidayEdition = async (): Promise<string> => (await read())[0]?.split('\t')[0] ?? '';

/**
 * The public holidays of a place in all years of the table, 2000 to 2050; undefined for a place that it does not know.
 */
export const publicHolidays = async (code: string): Promise<Holiday[] | undefined> => {
  const [heading = '', ...lines] = await read();
  const firstYear = Number(heading.split('\t')[1]);
  const isOfPlace = (line: string) => placesIn(line).some((place) => place.code === code);
  const begins = lines.findIndex((line) => isCountry(line) && isOfPlace(line));
  if (begins < 0) return undefined;
  const index = placesIn(lines[begins] ?? '').findIndex((place) => place.code === code);
  const found: Holiday[] = [];
  for (const line of lines.slice(begins + 1)) {
    if (isCountry(line)) break;
    const [places = '', name = '', inYears = ''] = line.split('\t');
    if (places !== '*' && !places.split(',').includes(String(index))) continue;
    for (const [year, days] of inYears.split(' ').entries()) {
      for (const [, month, day] of days.matchAll(/(\d\d)(\d\d)/g)) {
        found.push({ day: `${firstYear + year}-${month}-${day}`, name });
      }
    }
  }
  return found.sort((one, other) => one.day.localeCompare(other.day, 'en'));
};
