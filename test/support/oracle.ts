/**
 * The rule about announcing leads, written down a second time (docs/contract.md, Notifications;
 * docs/design/later.md, Bursts): what one member is shown, from the leads one after the other, each
 * as if it were told of before the next one came. It shares nothing with what it is held against.
 */

/** A lead as one member meets it. */
export type MetLead = { id: string; at: number };

export type Shown = {
  singles: MetLead[];
  bursts: { firstAt: number; lastAt: number; count: number }[];
};

const tenMinutes = 10 * 60 * 1000;
const sixtyMinutes = 60 * 60 * 1000;

export const nothingShown = (): Shown => ({ singles: [], bursts: [] });

/**
 * Tells the member of new leads. `seen` are all the firm's leads that they may see now, new ones
 * among them, in order; to those count the ones they were told of before they were hidden.
 */
export const tell = (shown: Shown, seen: MetLead[], isNew: (id: string) => boolean): void => {
  const known: MetLead[] = [];
  const met = [
    ...seen,
    ...shown.singles.filter((single) => !seen.some(({ id }) => id === single.id)),
  ];
  met.sort((one, other) => one.at - other.at);
  for (const lead of met) {
    known.push(lead);
    if (!isNew(lead.id)) continue;
    const lastFour = known.slice(-4);
    const first = lastFour[0];
    const isBurst = lastFour.length === 4 && first && lead.at - first.at < tenMinutes;
    if (!isBurst) {
      shown.singles.push(lead);
      continue;
    }
    for (const one of lastFour) countIn(shown, one, first.at, lead.at);
  }
};

/**
 * Counts a lead of a four, unless it was: in the burst that the four touches before it, or else
 * after it, unless that would last longer than an hour; in a new one otherwise.
 */
const countIn = (shown: Shown, { id, at }: MetLead, from: number, to: number) => {
  shown.singles = shown.singles.filter((single) => single.id !== id);
  let home: Shown['bursts'][number] | undefined;
  for (const burst of shown.bursts) {
    if (burst.firstAt <= at && at <= burst.lastAt) return;
    const isTouched = burst.lastAt >= from && burst.firstAt <= to;
    if (isTouched && burst.lastAt < at && at - burst.firstAt <= sixtyMinutes) home = burst;
    if (isTouched && burst.firstAt > at && burst.lastAt - at <= sixtyMinutes) home ??= burst;
  }
  if (home) {
    home.count += 1;
    home.firstAt = Math.min(home.firstAt, at);
    home.lastAt = Math.max(home.lastAt, at);
  } else {
    shown.bursts.push({ firstAt: at, lastAt: at, count: 1 });
    shown.bursts.sort((one, other) => one.firstAt - other.firstAt);
  }
};
