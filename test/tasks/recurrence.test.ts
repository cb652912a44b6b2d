/** Rules of repeating, against RFC 5545's own examples and against two foreign readers of calendars. */
import { describe, expect, test } from 'bun:test';
import ICAL from 'ical.js';
import nodeIcal, { type VEvent } from 'node-ical';
import { addDays } from '../../src/base/calendar-date.ts';
import { everies, nextOf, recurrenceOf, rruleFrom, rruleOf } from '../../src/base/recurrence.ts';
import { Refusal } from '../../src/base/refusal.ts';

/** The days of a rule from its first, as one task after another is due on them. */
const daysOf = (rrule: string, first: string, most: number) => {
  const days = [first];
  for (let day: string | null = first; days.length < most; days.push(day)) {
    day = nextOf(rrule, { day, notBefore: day });
    if (day === null) return days;
  }
  return days;
};

/** The same by ical.js, which does not read BYSETPOS beside BYMONTHDAY. */
const byIcal = (rrule: string, first: string, most: number) => {
  const days: string[] = [];
  const each = ICAL.Recur.fromString(rrule).iterator(ICAL.Time.fromDateString(first));
  for (let at = each.next(); at && days.length < most; at = each.next()) days.push(at.toString());
  return days;
};

/** The same by node-ical, from the file of a calendar. */
const byNodeIcal = (rrule: string, first: string, most: number, last: string) => {
  const lines = [
    ...['BEGIN:VCALENDAR', 'VERSION:2.0', 'PRODID:-//Harrow//Test//EN', 'BEGIN:VEVENT', 'UID:1'],
    ...['DTSTAMP:20200101T000000Z', `DTSTART;VALUE=DATE:${first.replaceAll('-', '')}`],
    ...[`RRULE:${rrule}`, 'SUMMARY:Report', 'END:VEVENT', 'END:VCALENDAR'],
  ];
  const parts = Object.values(nodeIcal.sync.parseICS(lines.join('\r\n')));
  const event = parts.find((one): one is VEvent => one?.type === 'VEVENT');
  const end = new Date(addDays(last, 40));
  const days = event?.rrule?.between(new Date(first), end, true) ?? [];
  return days.slice(0, most).map((day) => day.toISOString().slice(0, 10));
};

const septemberToDecember = (text: string) =>
  text.split(' ').map((one) => `1997-${one.slice(0, 2)}-${one.slice(2)}`);

describe('A rule of repeating', () => {
  test('gives the days of RFC 5545’s examples', () => {
    const first = '1997-09-02';
    const daily = daysOf('FREQ=DAILY;UNTIL=19971223', first, 1_000);
    expect([daily.length, daily.at(-1)]).toEqual([113, '1997-12-23']);
    expect(daysOf('FREQ=WEEKLY;UNTIL=19971223', first, 1_000)).toEqual(
      septemberToDecember(
        '0902 0909 0916 0923 0930 1007 1014 1021 1028 1104 1111 1118 1125 1202 1209 1216 1223',
      ),
    );
    expect(daysOf('FREQ=WEEKLY;INTERVAL=2', first, 9)).toEqual(
      septemberToDecember('0902 0916 0930 1014 1028 1111 1125 1209 1223'),
    );
    // A rule that names the 31st alone leaves short months out (section 3.3.10); ours says the last day there.
    expect(rruleOf({ every: 'month', until: null }, '2007-01-30')).toBe(
      'FREQ=MONTHLY;BYMONTHDAY=28,29,30;BYSETPOS=-1',
    );
  });

  test('gives the days that ical.js and node-ical read in it, for each way and each kind of first day', () => {
    const firsts = ['2023-01-31', '2024-02-29', '2026-11-30', '2027-03-12', '2025-12-28'];
    for (const every of everies) {
      for (const first of firsts) {
        if (every === 'workday' && [0, 6].includes(new Date(first).getUTCDay())) continue;
        const endless = rruleOf({ every, until: null }, first);
        const until = daysOf(endless, first, 8)[7] ?? '';
        const ending = rruleOf({ every, until }, first);
        expect(recurrenceOf(ending)).toEqual({ every, until });
        for (const rrule of [endless, ending]) {
          const days = daysOf(rrule, first, 30);
          expect([first, rrule, byNodeIcal(rrule, first, 30, days.at(-1) ?? '')]).toEqual([
            first,
            rrule,
            days,
          ]);
          if (rrule.includes('BYSETPOS')) continue;
          expect([first, rrule, byIcal(rrule, first, 30)]).toEqual([first, rrule, days]);
        }
      }
    }
  });

  test('leaves out what is past, keeps its count, and ends with the calendar', () => {
    const next = (rrule: string, day: string, notBefore: string) =>
      nextOf(rrule, { day, notBefore });
    expect(next('FREQ=WEEKLY;INTERVAL=2', '2026-01-05', '2026-03-01')).toBe('2026-03-02');
    expect(next('FREQ=WEEKLY;INTERVAL=2', '2026-01-05', '2026-03-02')).toBe('2026-03-02');
    expect(next('FREQ=WEEKLY;INTERVAL=2', '2026-01-05', '2026-03-03')).toBe('2026-03-16');
    expect(next('FREQ=DAILY', '2026-01-05', '2026-03-03')).toBe('2026-03-03');
    expect(next('FREQ=MONTHLY;INTERVAL=3;BYMONTHDAY=15', '2020-01-15', '2026-02-16')).toBe(
      '2026-04-15',
    );
    const last = 'FREQ=MONTHLY;BYMONTHDAY=28,29,30,31;BYSETPOS=-1';
    expect(next(last, '2020-01-31', '2027-02-28')).toBe('2027-02-28');
    expect(next(last, '2027-02-28', '2027-02-28')).toBe('2027-03-31');
    expect(
      next('FREQ=YEARLY;BYMONTH=2;BYMONTHDAY=28,29;BYSETPOS=-1', '2027-02-28', '2027-03-01'),
    ).toBe('2028-02-29');
    for (const every of everies) {
      const rrule = rruleOf({ every, until: null }, '9999-12-31');
      expect([every, next(rrule, '9999-12-31', '2026-01-01')]).toEqual([every, null]);
    }
    const holidays = ['2026-12-24', '2026-12-25'];
    const workday = 'FREQ=WEEKLY;BYDAY=MO,TU,WE,TH,FR';
    expect(nextOf(workday, { day: '2026-12-23', notBefore: '2026-12-23', holidays })).toBe(
      '2026-12-28',
    );
  });

  test('that a program sends is taken in any order, with the day left out, and refused beyond the subset', () => {
    const read = (text: string) => rruleFrom('rrule', text, '2027-01-31');
    for (const every of everies) {
      const rrule = rruleOf({ every, until: '2028-12-31' }, '2027-01-31');
      expect(read(rrule)).toBe(rrule);
      expect(read(rrule.split(';').reverse().join(';').toLowerCase())).toBe(rrule);
      expect(read(rrule.replace(/;BY(MONTH|SETPOS)[^;]*/g, ''))).toBe(rrule);
    }
    expect(read('FREQ=DAILY;INTERVAL=1')).toBe('FREQ=DAILY');
    for (const text of [
      ...[
        '',
        'FREQ',
        'FREQ=',
        'FREQ=HOURLY',
        'DAILY',
        'FREQ=DAILY;FREQ=DAILY',
        'FREQ=DAILY;COUNT=3',
      ],
      ...['FREQ=DAILY;INTERVAL=2', 'FREQ=WEEKLY;BYDAY=TU', 'FREQ=DAILY;', 'FREQ=DAILY;WKST=MO'],
      ...['FREQ=MONTHLY;BYMONTHDAY=30', 'FREQ=MONTHLY;BYDAY=1FR', 'FREQ=DAILY;UNTIL=20270230'],
      ...['FREQ=DAILY;UNTIL=20270130', 'FREQ=DAILY;UNTIL=20271231T000000Z', 'RRULE:FREQ=DAILY'],
      ...['FREQ=YEARLY;BYMONTH=2', 'FREQ=DAILY;BYSETPOS=-1', 'FREQ=DAILY=DAILY', '__proto__=1'],
    ]) {
      expect(() => read(text)).toThrow(Refusal);
    }
  });
});
