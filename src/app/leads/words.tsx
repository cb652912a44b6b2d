/** @jsxImportSource preact */
import type { VNode } from 'preact';
import type { leadStatuses, leadValues } from '../../leads/table.ts';
import { type Frame, type RowFrame, useFrame } from '../frame.tsx';
import { Icon } from '../icon.tsx';
import { markup, rendersOnce } from '../markup.ts';
import { wallWords } from '../moments.tsx';
import { counted } from '../numbers.ts';
import { Avatar, muted } from '../words.tsx';

type Status = (typeof leadStatuses)[number];
type Value = (typeof leadValues)[number];

/** A lead's status as people say it, in the order of the tabs. */
export const statusNames: Record<Status, string> = {
  ACTIVE: 'Active',
  HIRED: 'Hired',
  NOT_HIRED: 'Not hired',
  ARCHIVE: 'Archived',
  DRAFT: 'Draft',
};

/** A lead's value as people say it, the lowest first. */
export const valueNames: Record<Value, string> = {
  LOWEST: 'Lowest',
  LOW: 'Low',
  MEDIUM: 'Medium',
  HIGH: 'High',
  HIGHEST: 'Highest',
};

export const noContact = 'Contact deleted';

const values = Object.keys(valueNames) as Value[];

const bar = (at: number) => `M${at * 4} 12V${8 - at * 2}h3V12z`;

export const Worth = ({ value }: { value: Value | null }) =>
  value === null ? markup`<span class="muted small">Value not set</span>` : worthOf[value]();

const worth = (value: Value) =>
  rendersOnce(() => {
    const high = values.indexOf(value) + 1;
    const bars = values.map((_, at) => bar(at));
    return (
      <span class="worth">
        <svg viewBox="0 0 19 12" aria-hidden="true">
          <path class="on" d={bars.slice(0, high).join('')} />
          <path d={bars.slice(high).join('')} />
        </svg>
        <span class="small">{valueNames[value]}</span>
      </span>
    );
  });

const worthOf = Object.fromEntries(values.map((value) => [value, worth(value)])) as Record<
  Value,
  () => VNode
>;

/**
 * After this many days a lead has waited long. In the first stage nobody has spoken with it yet.
 */
const longDays = { first: 2, later: 8 };

const isLong = (since: Date, now: Date, isFirst: boolean) =>
  wholeDays(since, now) >= (isFirst ? longDays.first : longDays.later);

const wholeDays = (since: Date, now: Date) =>
  Math.floor((now.getTime() - since.getTime()) / 86_400_000);

/** How long it is since a moment: `under a minute`, `26 min`, `3 hours`, `1 day`. */
export const durationWords = (since: Date, now: Date): string => {
  const minutes = Math.max(0, Math.floor((now.getTime() - since.getTime()) / 60_000));
  if (minutes < 1) return 'under a minute';
  if (minutes < 60) return `${minutes} min`;
  if (minutes < 24 * 60) return counted(Math.floor(minutes / 60), 'hour');
  return counted(wholeDays(since, now), 'day');
};

export const Waited = ({ after = '', ...waiting }: Waiting & { after?: string }) =>
  waited(waiting, useFrame(), after);

type Waiting = { since: Date; isFirst: boolean };

/** The same, for a cell of a table. */
export const waited = ({ since, isFirst }: Waiting, { now }: Pick<Frame, 'now'>, after = '') => {
  const words = durationWords(since, now) + after;
  return isLong(since, now, isFirst)
    ? markup`<span class="tone-warn">${words}<span class="hide">, long</span></span>`
    : markup`<span class="muted">${words}</span>`;
};

type Step = { nextTouch: string | null; isStepPast: boolean | null; status?: Status };

/** The next step of a lead; of an open one without, that it has none. What is past also says so. */
export const nextStep = (
  { nextTouch, isStepPast, status = 'ACTIVE' }: Step,
  frame: RowFrame,
  hasTime = true,
) => {
  const isOpen = status === 'ACTIVE' || status === 'DRAFT';
  if (nextTouch === null) return isOpen ? muted('No next step') : '';
  const said = (at: string) => wallWords(at, frame.today, frame);
  const timeOf = (words: string) =>
    markup`<time class="nowrap" datetime="${nextTouch}">${words}</time>`;
  const whole = said(nextTouch);
  if (!isOpen || !isStepPast) return timeOf(whole);
  if (hasTime) return markup`<span class="tone-danger">Overdue: ${timeOf(whole)}</span>`;
  const day = timeOf(said(nextTouch.slice(0, 10)));
  return markup`<span class="tone-danger" title="${whole}">Overdue: ${day}</span>`;
};

/** The same for a cell of a table: of what is overdue, the title has the time. The row keeps to one line. */
export const nextStepInRow = (step: Step, frame: RowFrame) => nextStep(step, frame, false);

export const NextStep = (step: Step) => <>{nextStep(step, useFrame())}</>;

export const Assignees = ({ assignees }: { assignees: readonly { name: string }[] }) => {
  const shown = assignees.length === 0 ? [{ name: null }] : assignees.slice(0, 4);
  const others = assignees.length - shown.length;
  return markup`<span class="avatars">${shown.map(Avatar)}${
    others > 0 && markup`<span class="small muted">+${others}</span>`
  }</span>`;
};

/** The mark of a lead that only its assignees and owners see. */
export const Private = () =>
  markup`<span class="private" title="Private: only the people assigned and the owners see it">${Icon(
    { name: 'lock' },
  )}<span class="hide">Private. </span></span>`;
