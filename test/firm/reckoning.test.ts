/** Days counted from another day, beside what others count: a court service, the United States' federal calendar, Postgres. */
import { describe, expect, test } from 'bun:test';
import { isAHoliday } from '@18f/us-federal-holidays';
import fc from 'fast-check';
import { addDays, isWorkday } from '../../src/base/calendar-date.ts';
import { publicHolidays } from '../../src/firm/holidays/public.ts';
import { type DaysOff, type Rolling, reckon, type Span } from '../../src/firm/reckoning.ts';
import { connect } from '../support/database.ts';
import { startTestServer } from '../support/firm.ts';

const { databaseUrl } = await startTestServer();
const sql = connect(databaseUrl);

const daysOffIn = async (place: string): Promise<DaysOff> =>
  new Map((await publicHolidays(place))?.map(({ day, name }) => [day, name]));

const span = (amount: number, unit: Span['unit']): Span => ({ amount, unit });

const someDay = (from: string, to: string) => {
  const most = (Date.parse(to) - Date.parse(from)) / 86_400_000;
  return fc.integer({ min: 0, max: most }).map((days) => addDays(from, days));
};

describe('A reckoned day', () => {
  test('says what the span reached, and over which days it was rolled', async () => {
    expect(reckon('2024-03-14', span(3, 'years'), 'next')).toEqual({
      from: '2024-03-14',
      reached: '2027-03-14',
      passed: [{ day: '2027-03-14', holiday: null }],
      day: '2027-03-15',
    });
    const english = await daysOffIn('GB-ENG');
    const { reached, passed, day } = reckon('2017-03-31', span(2, 'weeks'), 'next', english);
    expect([reached, day]).toEqual(['2017-04-14', '2017-04-18']);
    expect(passed).toEqual([
      { day: '2017-04-14', holiday: 'Good Friday' },
      { day: '2017-04-15', holiday: null },
      { day: '2017-04-16', holiday: english.get('2017-04-16') ?? null },
      { day: '2017-04-17', holiday: 'Easter Monday' },
    ]);
    expect(reckon('2017-03-31', span(2, 'weeks'), 'last', english).day).toBe('2017-04-13');
    expect(reckon('2017-03-31', span(2, 'weeks'), 'none', english).day).toBe('2017-04-14');
  });

  test.each([
    // 29 February, and months without the day.
    ['2024-02-29', 1, 'years', '2025-02-28'],
    ['2024-02-29', 4, 'years', '2028-02-29'],
    ['2024-02-29', -1, 'years', '2023-02-28'],
    ['2096-02-29', 4, 'years', '2100-02-28'],
    ['2023-01-31', 1, 'months', '2023-02-28'],
    ['2024-01-31', 1, 'months', '2024-02-29'],
    ['2024-03-31', -1, 'months', '2024-02-29'],
    ['2023-08-31', 6, 'months', '2024-02-29'],
    // Year ends.
    ['2023-12-31', 1, 'days', '2024-01-01'],
    ['2024-01-01', -1, 'days', '2023-12-31'],
    ['2023-12-15', 1, 'months', '2024-01-15'],
    ['2024-01-15', -13, 'months', '2022-12-15'],
    ['2026-12-28', 1, 'weeks', '2027-01-04'],
    // Nights in which clocks change, in Europe, America and Australia.
    ['2024-03-30', 1, 'days', '2024-03-31'],
    ['2024-03-10', 1, 'days', '2024-03-11'],
    ['2024-10-26', 2, 'days', '2024-10-28'],
    ['2024-11-03', -1, 'days', '2024-11-02'],
    ['2024-04-06', 1, 'weeks', '2024-04-13'],
    // Working days do not count the first day, whichever it is.
    ['2024-03-15', 1, 'workingDays', '2024-03-18'],
    ['2024-03-16', 1, 'workingDays', '2024-03-18'],
    ['2024-03-18', -1, 'workingDays', '2024-03-15'],
    ['2024-03-17', -1, 'workingDays', '2024-03-15'],
    ['2024-03-15', -10, 'workingDays', '2024-03-01'],
    ['2024-03-16', 0, 'workingDays', '2024-03-16'],
    ['2024-12-31', 1, 'workingDays', '2025-01-01'],
  ] as const)('%s and %i %s is %s', (from, amount, unit, expected) => {
    expect(reckon(from, span(amount, unit), 'none').day).toBe(expected);
  });

  test('passes a holiday once, also one on a weekend', () => {
    // Independence Day of 2026 is a Saturday, observed on the Friday.
    const observed = new Map([
      ['2026-07-03', 'Independence Day (observed)'],
      ['2026-07-04', 'Independence Day'],
    ]);
    expect(reckon('2026-07-02', span(1, 'workingDays'), 'none', observed).day).toBe('2026-07-06');
    expect(reckon('2026-07-06', span(-1, 'workingDays'), 'none', observed).day).toBe('2026-07-02');
    expect(reckon('2026-07-03', span(1, 'days'), 'last', observed)).toMatchObject({
      passed: [
        { day: '2026-07-04', holiday: 'Independence Day' },
        { day: '2026-07-03', holiday: 'Independence Day (observed)' },
      ],
      day: '2026-07-02',
    });
  });

  test('is refused beyond the years 1 to 9999, and for what is no whole number', () => {
    for (const [from, amount, unit] of [
      ['9999-12-31', 1, 'days'],
      ['0001-01-01', -1, 'days'],
      ['9999-12-31', 1, 'workingDays'],
      ['9999-12-01', 1, 'months'],
      ['0001-06-01', -1, 'years'],
      ['2024-01-01', 1e9, 'years'],
      ['2024-01-01', 1e9, 'weeks'],
      ['2024-01-01', 1.5, 'days'],
      ['2024-01-01', Number.NaN, 'workingDays'],
    ] as const) {
      expect(() => reckon(from, span(amount, unit), 'none'), `${from} ${amount} ${unit}`).toThrow(
        RangeError,
      );
    }
    expect(() => reckon('9999-12-25', span(1, 'weeks'), 'next')).toThrow(RangeError);
    expect(reckon('0099-03-31', span(-1, 'months'), 'none').day).toBe('0099-02-28');
  });
});

describe('A court service reckons the same', () => {
  // The cases of github.com/hmcts/cmc-claim-store (53e62a91129e, MIT): ResponseDeadlineCalculatorTest,
  // OfferResponseDeadlineCalculatorTest, DirectionsQuestionnaireDeadlineCalculatorTest,
  // LegalOrderGenerationDeadlinesCalculatorTest and WorkingDayIndicatorTest. Days that they declare to be no working
  // days are the last column; their bank holidays are our own table's.
  test.each([
    // A response is due 5 and 14 days after the claim was issued, with more time another 14.
    ['2017-04-24', 19, 'next', '2017-05-15', []],
    ['2017-05-08', 19, 'next', '2017-05-30', []],
    ['2017-03-26', 19, 'next', '2017-04-18', []],
    ['2017-05-08', 33, 'next', '2017-06-12', []],
    ['2017-09-18', 19, 'next', '2017-10-09', []],
    ['2017-09-18', 33, 'next', '2017-10-23', []],
    ['2017-09-15', 19, 'next', '2017-10-04', []],
    ['2017-09-15', 33, 'next', '2017-10-18', []],
    ['2017-09-15', 19, 'next', '2017-10-09', ['2017-10-04', '2017-10-05', '2017-10-06']],
    ['2017-09-15', 5, 'none', '2017-09-20', []],
    // An offer is answered within 14 days; after four in the afternoon, from the next working day.
    ['2017-10-10', 14, 'next', '2017-10-24', []],
    ['2017-10-10', [1, 14], 'next', '2017-10-25', []],
    ['2017-10-20', [1, 14], 'next', '2017-11-06', []],
    ['2017-08-11', [1, 14], 'next', '2017-08-29', []],
    ['2017-08-11', [1, 14], 'next', '2017-08-31', ['2017-08-14', '2017-08-15', '2017-08-16']],
    // Questionnaires: 19 days, 20 after four; orders: 33 days.
    ['2010-01-01', 19, 'next', '2010-01-20', []],
    ['2010-01-01', 20, 'next', '2010-01-21', []],
    ['2019-01-02', 33, 'next', '2019-02-04', []],
    ['2019-01-02', 33, 'next', '2019-02-05', ['2019-02-04']],
    // The next and the last working day.
    ['2017-06-04', 0, 'next', '2017-06-05', []],
    ['2017-06-03', 0, 'next', '2017-06-05', []],
    ['2017-05-29', 0, 'next', '2017-05-30', []],
    ['2017-06-11', 0, 'last', '2017-06-09', []],
    ['2017-06-10', 0, 'last', '2017-06-09', []],
    ['2017-05-29', 0, 'last', '2017-05-26', []],
  ] as const)('%s and %p days, %s, is %s', async (from, days, rolling, expected, closed) => {
    const daysOff = new Map([
      ...(await daysOffIn('GB-ENG')),
      ...closed.map((day) => [day, 'Closed'] as const),
    ]);
    const spans = typeof days === 'number' ? [days] : days;
    const reached = spans.reduce<string>(
      (day, amount) => reckon(day, span(amount, 'days'), rolling, daysOff).day,
      from,
    );
    expect(reached).toBe(expected);
  });

  test('and knows the same working days', async () => {
    const english = await daysOffIn('GB-ENG');
    for (const day of ['2017-06-05', '2017-06-06', '2017-06-07', '2017-06-08', '2017-06-09']) {
      expect(isWorkday(day, english)).toBe(true);
      expect(isWorkday(day, new Map([[day, 'Closed']]))).toBe(false);
    }
    for (const day of ['2017-05-29', '2017-06-10', '2017-06-11']) {
      expect(isWorkday(day, english)).toBe(false);
    }
  });
});

test('Working days are those of @18f/us-federal-holidays, in both directions', async () => {
  const federal = new Map([...(await daysOffIn('US'))].filter(([day]) => isOffByThem(day)));
  await fc.assert(
    fc.property(
      someDay('2002-01-01', '2048-12-31'),
      fc.integer({ min: -300, max: 300 }),
      (from, amount) => {
        let expected = from;
        for (let left = Math.abs(amount); left > 0; ) {
          expected = addDays(expected, Math.sign(amount));
          const isWeekend = new Date(`${expected}T00:00:00Z`).getUTCDay() % 6 === 0;
          if (!isWeekend && !isOffByThem(expected)) left -= 1;
        }
        expect(reckon(from, span(amount, 'workingDays'), 'none', federal).day).toBe(expected);
      },
    ),
    { numRuns: 100 },
  );
});

const isOffByThem = (day: string) =>
  isAHoliday(new Date(`${day}T12:00:00Z`), { utc: true, shiftSaturdayHolidays: true });

test('Days, weeks, months and years are those of Postgres', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(
        fc.record({
          from: someDay('1600-01-01', '2400-12-31'),
          amount: fc.integer({ min: -1500, max: 1500 }),
          unit: fc.constantFrom('days', 'weeks', 'months', 'years'),
        }),
        { minLength: 100, maxLength: 100 },
      ),
      async (cases) => {
        const expected = await sql`
          select (one.day::date + (one.amount || ' ' || one.unit)::interval)::date::text as day
          from unnest(${cases.map(({ from }) => from)}::text[], ${cases.map(({ amount }) => amount)}::int[],
            ${cases.map(({ unit }) => unit)}::text[]) with ordinality as one (day, amount, unit, nth)
          order by nth`;
        const reckoned = cases.map(
          ({ from, amount, unit }) => reckon(from, span(amount, unit as Span['unit']), 'none').day,
        );
        expect(reckoned).toEqual(expected.map(({ day }) => day));
      },
    ),
    { numRuns: 20 },
  );
});

test('A rolled day is a working day, and the nearest one in its direction', async () => {
  const english = await daysOffIn('GB-ENG');
  fc.assert(
    fc.property(
      someDay('2001-01-01', '2049-12-01'),
      fc.constantFrom<Rolling>('next', 'last'),
      (from, rolling) => {
        const { passed, day } = reckon(from, span(0, 'days'), rolling, english);
        expect(isWorkday(day, english)).toBe(true);
        const between = passed.map((one) => one.day);
        expect(between.every((one) => !isWorkday(one, english))).toBe(true);
        const direction = rolling === 'next' ? 1 : -1;
        expect([...between, day]).toEqual(
          [...between, day].map((_, index) => addDays(from, direction * index)),
        );
      },
    ),
  );
});
