/** @jsxImportSource preact */
import { readFirm } from '../../firm/firm.ts';
import {
  ladderOf,
  setReminders,
  setUnheldLimits,
  setWorkEscalates,
  type UnheldLimits,
} from '../../limitation/reminders.ts';
import type { Reader } from '../../record/actor.ts';
import { Check } from '../choices.tsx';
import type { Fields } from '../fields.ts';
import { Form, Text } from '../form.tsx';
import { Panel } from '../page-parts.tsx';
import { form, type Page, page, type Shown, type Visit } from '../visit.ts';
import { settingsPage } from './sections.tsx';

const path = '/settings/reminders';

const labels: Record<keyof UnheldLimits, string> = {
  unheldDays: 'Working days until more people are told',
  unheldSoonFrom: 'Days before the date on which a shorter limit starts',
  unheldDaysSoon: 'Working days of the shorter limit',
  unheldAtOnceFrom: 'Days before the date from which more people are told at once',
};

const names = Object.keys(labels) as (keyof UnheldLimits)[];

const showReminders = async ({ actor }: Visit): Promise<Shown> => {
  const [ladder, limits, work] = await Promise.all([
    daysNow(actor),
    limitsNow(actor),
    workNow(actor),
  ]);
  return settingsPage({
    title: 'Reminders',
    intro: 'When the team is reminded of limitation dates, and who is told when nobody answers.',
    main: (
      <>
        <Panel id="ladder" title="Reminders before a limitation date">
          <div class="body">
            <Form action={`${path}/ladder`} save="Save" within="ladder" isOneOfSeveral>
              <Text
                name="days"
                label="Days before the date"
                hint="Separate the numbers with commas. A change takes effect tomorrow. A new reminder whose day is already past is not sent."
                ask="Enter numbers of days."
                value={ladder.days}
                required
              />
              <Check
                name="inWorkingDays"
                label="Count working days"
                hint="Without Saturdays, Sundays and your firm’s holidays: 1 day before a Monday is the Friday."
                checked={ladder.inWorkingDays === 'on'}
              />
            </Form>
          </div>
        </Panel>
        <Panel id="limits" title="While nobody has the date">
          <div class="body">
            <Form action={`${path}/limits`} save="Save" within="limits" isOneOfSeveral>
              <p class="muted">
                If nobody presses “I have it”, the deputy is told, then the others on the team, then
                the owners. The owners are also told of a lead whose next step nobody has answered,
                until somebody works on the lead. The first number below says after how many working
                days.
              </p>
              {names.map((name) => (
                <Text
                  name={name}
                  label={labels[name]}
                  ask="Enter a number."
                  inputmode="numeric"
                  value={limits[name]}
                  required
                />
              ))}
            </Form>
          </div>
        </Panel>
        <Panel id="work" title="Tasks and events">
          <div class="body">
            <Form action={`${path}/work`} save="Save" within="work" isOneOfSeveral>
              <Check
                name="workEscalates"
                label="Also tell more people about events, and about tasks with a due date"
                hint="The limits above then apply each morning. For tasks and events that exist now, the days count from today. Those that are done, cancelled or moved are left out."
                checked={work.workEscalates === 'on'}
              />
            </Form>
          </div>
        </Panel>
      </>
    ),
  });
};

const daysNow = async (reader: Reader) => {
  const { days, inWorkingDays } = ladderOf((await readFirm(reader)).reminders);
  return { days: days.join(', '), inWorkingDays: inWorkingDays ? 'on' : '' };
};

const limitsNow = async (reader: Reader) => {
  const stored = await readFirm(reader);
  return Object.fromEntries(names.map((name) => [name, String(stored[name])])) as Record<
    keyof UnheldLimits,
    string
  >;
};

const workNow = async (reader: Reader) => ({
  workEscalates: (await readFirm(reader)).workEscalatesSince === null ? '' : 'on',
});

/** A number as it was typed; not a number if it is none. */
const numberIn = (text: string) => (/^\d{1,4}$/.test(text) ? Number(text) : Number.NaN);

const changeLadder = async ({ actor }: Visit, fields: Fields) => {
  const typed = (fields.text('days') ?? '').split(/[\s,;]+/).filter(Boolean);
  await setReminders(actor, typed.map(numberIn), fields.text('inWorkingDays') === 'on');
  return `${path}?saved`;
};

const changeLimits = async ({ actor }: Visit, fields: Fields) => {
  const typed = names.map((name) => [name, numberIn((fields.text(name) ?? '').trim())]);
  await setUnheldLimits(actor, Object.fromEntries(typed) as UnheldLimits);
  return `${path}?saved`;
};

const changeWork = async ({ actor }: Visit, fields: Fields) => {
  await setWorkEscalates(actor, fields.text('workEscalates') === 'on');
  return `${path}?saved`;
};

const remindersPage = page(path, 'owner', showReminders);

export const reminderPages: Page[] = [
  remindersPage,
  form(`${path}/ladder`, 'owner', changeLadder, remindersPage, {
    guard: daysNow,
    said: 'The reminders are changed.',
  }),
  form(`${path}/limits`, 'owner', changeLimits, remindersPage, {
    guard: limitsNow,
    said: 'The limits are changed.',
  }),
  form(`${path}/work`, 'owner', changeWork, remindersPage, {
    guard: workNow,
    said: 'The choice for tasks and events is changed.',
  }),
];
