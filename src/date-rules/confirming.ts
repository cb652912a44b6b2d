/** Dates by rule that a second person confirms, where the firm wants it. */
import type { Changes } from '../audit/table.ts';
import { notFound, Refusal } from '../base/refusal.ts';
import type { DateOfRecord } from '../calendar/dates.ts';
import type { Reckoned } from '../firm/reckoning.ts';
import { matterForChange } from '../matters/list.ts';
import type { Reader } from '../record/actor.ts';
import { type Acting, type Write, write } from '../record/write.ts';
import { type MovedTrigger, movedAmong } from './moved.ts';
import { reckonRules } from './rule.ts';
import { type StandingDate, standingDates, standingOfTeam } from './standing.ts';
import { ruledDate } from './table.ts';

/** A standing date that a second person has to confirm, or has confirmed. */
export type Confirmation = StandingDate & {
  /** What its rule makes now of the day that it was counted from; undefined for a day beyond the years 1 to 9999. */
  reckoned: Reckoned | undefined;
};

/**
 * What the people of a matter are asked of its dates by rule: the triggers that moved, and the dates that a second person
 * confirms. Of an archived matter, nobody is asked anything. The caller has checked that the reader sees it.
 */
export const ruledDatesOf = async (
  reader: Reader,
  matterId: string,
): Promise<{ moved: MovedTrigger[]; confirmations: Confirmation[] }> => {
  const all = await standingDates(reader, [matterId]);
  const standing = all.filter(({ isArchived }) => !isArchived);
  const [moved, confirmations] = await Promise.all([
    movedAmong(reader, standing),
    confirmationsAmong(reader, standing),
  ]);
  return { moved, confirmations };
};

/** The confirmation of a task or an event of a matter; undefined if none is wanted. The caller has checked as above. */
export const confirmationOf = async (
  reader: Reader,
  matterId: string,
  id: string,
): Promise<Confirmation | undefined> => {
  const standing = await standingDates(reader, [matterId]);
  const own = standing.filter(({ taskId, eventId }) => taskId === id || eventId === id);
  return (await confirmationsAmong(reader, own))[0];
};

const confirmationsAmong = async (
  reader: Reader,
  standing: readonly StandingDate[],
): Promise<Confirmation[]> => {
  const counted = standing.filter(({ isCounted }) => isCounted);
  const asked = counted.map((rule) => ({ rule, from: rule.countedFrom }));
  const reckoned = await reckonRules(reader, asked);
  return counted.map((one, at) => ({ ...one, reckoned: reckoned[at] }));
};

/** The ids of those tasks and events of these matters that wait for a second person. The caller has checked as above. */
export const waitingAmong = async (
  reader: Reader,
  matterIds: readonly string[],
): Promise<ReadonlySet<string>> => {
  return waitingIn(await standingDates(reader, matterIds));
};

/** The ids of those tasks and events among these dates that wait for a second person. */
export const waitingIn = (dates: readonly StandingDate[]): ReadonlySet<string> =>
  new Set(
    dates
      .filter(({ isWaiting }) => isWaiting)
      .flatMap(({ taskId, eventId }) => taskId ?? eventId ?? []),
  );

/** A date of the calendar, and whether it waits for a second person. */
export type MarkedDate = DateOfRecord & { isWaiting: boolean };

/** Dates of the calendar that the reader sees, each with whether it waits for a second person. */
export const markWaiting = async (
  reader: Reader,
  dates: readonly DateOfRecord[],
): Promise<MarkedDate[]> => {
  const matters = dates.flatMap(({ kind, record }) =>
    kind !== 'limitation' && record.about === 'matter' ? record.id : [],
  );
  const waiting = await waitingAmong(reader, matters);
  return dates.map((date) => ({ ...date, isWaiting: waiting.has(date.id) }));
};

/** What waits for the reader: dates of the matters on whose team they are, counted by somebody else, by day. */
export const waitingFor = async (reader: Reader): Promise<StandingDate[]> =>
  (await standingOfTeam(reader)).filter((date) => isSecond(date, reader));

/** Whether somebody is another person than who counted a date. */
export const isSecond = (
  { countedById }: Pick<StandingDate, 'countedById'>,
  { memberId }: Pick<Reader, 'memberId'>,
): boolean => memberId !== null && countedById !== memberId;

/**
 * Confirms a date by rule as the second person, on the day that was shown. Throws `Refusal` not_found for a matter that does
 * not exist; forbidden for who counted it; conflict if it is not what was shown, if it was confirmed, and while it is asked
 * whether the date moves.
 */
export const confirmDate = (actor: Acting, matterId: string, id: string, day: string) =>
  write(actor, async (w) => {
    const date = await dateForChange(w, matterId, id);
    if (!date.isWaiting || date.day !== day) throw hasChanged();
    if (!isSecond(date, w)) {
      throw new Refusal('forbidden', 'You counted this date. Somebody else has to confirm it.');
    }
    if (date.triggerNow !== date.countedFrom) {
      throw new Refusal(
        'conflict',
        'The day that it was counted from has moved. Say first on the matter’s page whether the date moves.',
      );
    }
    const confirmed = { confirmedById: w.memberId, confirmedAt: await w.now() };
    w.update(ruledDate, date, confirmed, namedIn(date));
    return date;
  });

/**
 * Takes the acting member's own confirmation of a date back. Throws `Refusal` not_found for a matter that does not exist;
 * conflict if they have not confirmed it as it stands.
 */
export const takeConfirmationBack = (actor: Acting, matterId: string, id: string) =>
  write(actor, async (w) => {
    const date = await dateForChange(w, matterId, id);
    if (date.confirmedById === null || date.confirmedById !== w.memberId) throw hasChanged();
    w.update(ruledDate, date, { confirmedById: null, confirmedAt: null }, namedIn(date));
    return date;
  });

/** The audit entry says of which task or event, and of which day. */
const namedIn = ({ taskId, eventId, day }: StandingDate): Changes => ({
  ...(taskId === null
    ? { eventId: { before: null, after: eventId } }
    : { taskId: { before: null, after: taskId } }),
  day: { before: null, after: day },
});

const dateForChange = async (w: Write, matterId: string, id: string): Promise<StandingDate> => {
  const matter = await matterForChange(w, matterId);
  if (!matter) throw notFound();
  const date = (await standingDates(w, [matterId])).find((one) => one.id === id);
  if (!date) throw hasChanged();
  return date;
};

const hasChanged = () =>
  new Refusal('conflict', 'The date was changed, done or confirmed meanwhile. Look at it again.');
