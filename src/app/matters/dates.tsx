/** @jsxImportSource preact */
import { addDays, daysBetween } from '../../base/calendar-date.ts';
import type { DaysOff } from '../../firm/reckoning.ts';
import type { Reminder } from '../../firm/table.ts';
import { longPast } from '../../limitation/notice.ts';
import { ladderOf, type ReminderOfDate, remindersOf } from '../../limitation/reminders.ts';
import type { MatterRecord } from '../../matters/record.ts';
import { Dialog, Opens } from '../dialog.tsx';
import { Act, Day, Form, Text } from '../form.tsx';
import { type RowFrame, useFrame } from '../frame.tsx';
import { type LimitationTone, limitationTone, limitationWords } from '../limitation.tsx';
import { dayInFull } from '../moments.tsx';
import { counted } from '../numbers.ts';
import { HaveIt } from '../receipts.tsx';
import { matterFields } from './fields.tsx';

type DatesProps = {
  matter: MatterRecord;
  mayWrite: boolean;
  /** The firm's reminders, and the days off that working days are counted without. */
  reminders: readonly Reminder[];
  daysOff: DaysOff;
  /** Whether the reader is asked to say that they have the date. */
  isAsked: boolean;
};

/** The limitation date of a matter: how far away it is, and the buttons to change it. */
export const Dates = ({ matter, mayWrite, reminders, daysOff, isAsked }: DatesProps) => {
  const frame = useFrame();
  const { today } = frame;
  const tone = limitationTone(matter, today);
  const { solDate } = matter;
  const steps = solDate === null ? [] : remindersOf(reminders, solDate, daysOff);
  return (
    <div role="group" aria-label="Dates">
      <div class={`limitation ${tone === 'none' ? 'far' : tone}`}>
        <div>
          <p class="label">{matterFields.limitation.label}</p>
          <p class="says">{limitationWords(matter, today, frame)}</p>
          <p class="muted">
            {solDate === null
              ? whatWouldFollow(matter, reminders)
              : whatFollows({ ...matter, solDate }, tone, steps, frame, mayWrite)}
          </p>
        </div>
        {(mayWrite || isAsked) && (
          <div class="row">
            {isAsked && solDate !== null && (
              <HaveIt of={{ about: 'limitation', recordId: matter.id, day: solDate }} />
            )}
            {mayWrite && <Actions matter={matter} />}
          </div>
        )}
        {solDate !== null && tone !== 'met' && matter.status !== 'ARCHIVE' && (
          <Ladder steps={steps} days={daysBetween(today, solDate)} />
        )}
      </div>
      {mayWrite && <Dialogs matter={matter} today={today} />}
    </div>
  );
};

/** One sentence on a date that is not set. */
const whatWouldFollow = (matter: MatterRecord, reminders: readonly Reminder[]): string => {
  if (matter.expectsLimitationDate) {
    return `Matters of the area ${matter.practiceArea?.name} should have a limitation date.`;
  }
  const { days, inWorkingDays } = ladderOf(reminders);
  const first = counted(days[0] ?? 0, inWorkingDays ? 'working day' : 'day');
  return days.length === 1
    ? `The team is reminded ${first} before.`
    : `The team is reminded from ${first} before, more often as it nears.`;
};

/** What comes next, and for who may change the date, what to do. */
const whatFollows = (
  { solDate, status }: MatterRecord & { solDate: string },
  tone: LimitationTone,
  steps: readonly ReminderOfDate[],
  frame: RowFrame,
  mayWrite: boolean,
): string => {
  if (tone === 'met')
    return `The limitation date was ${dayInFull(solDate, frame)}. There are no more reminders.`;
  if (status === 'ARCHIVE') return 'The matter is archived. There are no reminders.';
  const days = daysBetween(frame.today, solDate);
  const next = steps.find(({ before }) => before < days);
  if (next !== undefined) {
    return `The next reminder is on ${dayInFull(addDays(solDate, -next.before), frame)}, ${distanceOf(next)} before.`;
  }
  if (days < -longPast) {
    const words = `Nobody is reminded of a date that is more than ${longPast} days past.`;
    return mayWrite ? `${words} Mark it as met, or change it.` : words;
  }
  const toDo = 'Mark the limitation date as met, or change it.';
  if (days < 0) return mayWrite ? toDo : 'Nobody has marked the limitation date as met.';
  return mayWrite ? `The last reminder was sent. ${toDo}` : 'The last reminder was sent.';
};

const distanceOf = ({ days, working }: ReminderOfDate) =>
  working ? counted(days, 'working day') : days === 1 ? 'the day' : `${days} days`;

/** The steps of the notices: those reached, the next one, and later ones. */
const Ladder = ({ steps, days }: { steps: readonly ReminderOfDate[]; days: number }) => {
  const next = steps.find(({ before }) => before < days);
  // A date of before a change of the unit can have both; days of the calendar can be compared.
  const isInWorkingDays = steps.every(({ working }) => working);
  const unitOf = (count: number) =>
    ` ${isInWorkingDays ? 'working ' : ''}${count === 1 ? 'day' : 'days'}`;
  const stateOf = (step: ReminderOfDate) =>
    step.before >= days
      ? (['sent', 'reached'] as const)
      : step === next
        ? (['next', 'next'] as const)
        : (['', 'to come'] as const);
  return (
    <ol class="ladder" aria-label="Reminders before the day">
      {steps.map((step, at) => {
        const [className, words] = stateOf(step);
        const count = isInWorkingDays ? step.days : step.before;
        return (
          <li class={className}>
            {count}
            {at === 0 && <span class="only-wide">{unitOf(count)}</span>}
            <span class="hide">
              {at === 0 ? '' : unitOf(count)} before: {words}
            </span>
          </li>
        );
      })}
    </ol>
  );
};

const Actions = ({ matter: { id, solDate, limitationMetOn } }: { matter: MatterRecord }) => (
  <>
    {solDate !== null && limitationMetOn === null && (
      <Opens dialog="limitation-met">Mark as met</Opens>
    )}
    {limitationMetOn !== null && (
      <Act action={`/matters/${id}/limitation/not-met`}>Mark as not met</Act>
    )}
    <Opens dialog="limitation-date" class={solDate === null ? 'button' : 'button quiet'}>
      {solDate === null ? 'Set the date' : 'Change'}
    </Opens>
  </>
);

const Dialogs = ({ matter, today }: { matter: MatterRecord; today: string }) => {
  const { id, solDate } = matter;
  const isSet = solDate !== null;
  return (
    <>
      <Dialog
        id="limitation-date"
        title={isSet ? 'Change the limitation date' : 'Set the limitation date'}
        class="slim"
      >
        <Form
          action={`/matters/${id}/limitation`}
          save={isSet ? 'Change the date' : 'Set the date'}
        >
          {solDate !== null && (
            <div class="field">
              <span class="label">Current date</span>
              <p>
                <b>{dayInFull(solDate, useFrame())}</b>
              </p>
            </div>
          )}
          <Day
            name="solDate"
            label={isSet ? 'New date' : 'Date'}
            hint={
              isSet
                ? 'Leave it empty to clear the date.'
                : 'The last day on which the claim can be brought.'
            }
            value={solDate}
          />
          {isSet && (
            <Text
              name="reason"
              label="Why"
              ask="Say why the date changes."
              hint="Recorded in the audit log."
              required
            />
          )}
        </Form>
      </Dialog>
      <Dialog id="limitation-met" title="Mark limitation date as met" class="slim">
        <Form action={`/matters/${id}/limitation/met`} save="Mark as met">
          <p>There will be no more reminders. Recorded under your name.</p>
          <Day name="metOn" label="Met on" ask="Enter the day." value={today} required />
        </Form>
      </Dialog>
    </>
  );
};
