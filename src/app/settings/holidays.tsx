/** @jsxImportSource preact */
import { addDays, todayIn } from '../../base/calendar-date.ts';
import { countryOfZone } from '../../firm/country.ts';
import { readFirm } from '../../firm/firm.ts';
import {
  addHolidays,
  chooseHolidays,
  holidaysBetween,
  ownRanges,
  removeHolidays,
} from '../../firm/holidays/days.ts';
import { type HolidayPlace, holidayPlaces } from '../../firm/holidays/public.ts';
import type { Reader } from '../../record/actor.ts';
import type { Fields } from '../fields.ts';
import { Choice, Day, Form, Text } from '../form.tsx';
import { DayInFull } from '../moments.tsx';
import { NoneYet, Panel } from '../page-parts.tsx';
import { saying } from '../said.ts';
import { form, type Page, page, type Shown, type Visit } from '../visit.ts';
import { Removes } from './removes.tsx';
import { settingsPage } from './sections.tsx';

const path = '/settings/holidays';
const forms = { place: `${path}/place`, own: `${path}/own` };

/** So many days ahead are shown. */
const ahead = 365;

const showHolidays = async ({ actor }: Visit): Promise<Shown> => {
  const stored = await readFirm(actor);
  const today = todayIn(stored.timeZone);
  const [places, own, next] = await Promise.all([
    holidayPlaces(),
    ownRanges(actor),
    holidaysBetween(actor, today, addDays(today, ahead)),
  ]);
  return settingsPage({
    title: 'Holidays',
    intro:
      'Days on which the firm does not work. Reminders and mails that go by working days leave them out, like Saturdays and Sundays.',
    main: (
      <>
        <Panel id="place" title="Public holidays">
          <div class="body">
            <Form action={forms.place} save="Save" within="place">
              <Choice
                name="holidaysOf"
                label="Public holidays of"
                hint={suggestionFor(stored, places)}
                value={stored.holidaysOf}
                none="None"
                options={places.map((place) => ({ value: place.code, name: placeWords(place) }))}
              />
            </Form>
          </div>
        </Panel>
        <Panel id="own" title="The firm’s own days">
          {own.length === 0 && <NoneYet text="The firm has no days of its own." />}
          <ul class="rows">
            {own.map(({ id, day, lastDay, name }) => (
              <li>
                <div class="grow">
                  {name}
                  <div class="sub">
                    <Days from={day} to={lastDay} />
                  </div>
                </div>
                <Removes
                  of={id}
                  name={name}
                  action={`${forms.own}/${id}/remove`}
                  fields={{ lastDay }}
                >
                  The firm works {lastDay === day ? 'on' : 'from'} <Days from={day} to={lastDay} />,
                  unless it is a weekend or a public holiday.
                </Removes>
              </li>
            ))}
          </ul>
          <div class="body">
            <Form action={forms.own} within="own" save="Add day" adds>
              <Text name="name" label="Name" ask="Enter a name." required />
              <div class="pair">
                <Day name="day" label="Day" ask="Enter the day." required />
                <Day name="lastDay" label="Last day" required={false} />
              </div>
            </Form>
          </div>
        </Panel>
        <Panel id="next" title="The next year’s holidays">
          {next.length === 0 ? (
            <NoneYet text="None. Only Saturdays and Sundays are left out." />
          ) : (
            <ul class="rows">
              {next.map(({ day, name, isOwn }) => (
                <li>
                  <span class="grow">
                    {name}
                    {isOwn && <span class="muted"> · the firm’s own</span>}
                  </span>
                  <DayInFull day={day} />
                </li>
              ))}
            </ul>
          )}
        </Panel>
      </>
    ),
  });
};

/** One day, or the first and the last of several in a row. */
const Days = ({ from, to }: { from: string; to: string }) => (
  <>
    <DayInFull day={from} />
    {to !== from && (
      <>
        {' to '}
        <DayInFull day={to} />
      </>
    )}
  </>
);

/** `United States: New York`. */
const placeWords = ({ name, country }: HolidayPlace) =>
  name === country ? name : `${country}: ${name}`;

/** Names the country that the time zone belongs to, while none is chosen. */
const suggestionFor = (
  { holidaysOf, timeZone }: { holidaysOf: string | null; timeZone: string },
  places: readonly HolidayPlace[],
) => {
  if (holidaysOf !== null) return undefined;
  const countries = places.map(({ code }) => code).filter((code) => !code.includes('-'));
  const likely = countryOfZone(timeZone, countries);
  const name = places.find(({ code }) => code === likely)?.name;
  // Some names have an article in a sentence.
  return name && `The country of the firm’s time zone: ${name}.`;
};

const textsNow = async (reader: Reader) => ({
  holidaysOf: (await readFirm(reader)).holidaysOf ?? '',
});

const choose = async ({ actor }: Visit, fields: Fields) => {
  await chooseHolidays(actor, fields.text('holidaysOf') || null);
  return `${path}?saved`;
};

const add = async ({ actor }: Visit, fields: Fields) => {
  const [name = '', day = '', lastDay] = ['name', 'day', 'lastDay'].map(fields.text);
  await addHolidays(actor, { name, day, lastDay: lastDay || null });
  return saying(path, `Holiday added: ${name}.`);
};

const remove = async (
  { actor, parameters }: Visit<'/settings/holidays/own/:id/remove'>,
  fields: Fields,
) => {
  await removeHolidays(actor, parameters.id, fields.text('lastDay') ?? '');
  return saying(path, `Holiday removed: ${fields.text('name')}.`);
};

const holidaysPage = page(path, 'firm:write', showHolidays);

export const holidayPages: Page[] = [
  holidaysPage,
  form(forms.place, 'firm:write', choose, holidaysPage, {
    guard: textsNow,
    said: 'The firm’s public holidays are changed.',
  }),
  form(forms.own, 'firm:write', add, holidaysPage, { once: true }),
  form(`${path}/own/:id/remove`, 'firm:write', remove, holidaysPage),
];
