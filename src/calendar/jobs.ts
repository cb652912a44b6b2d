import { sql } from 'drizzle-orm';
import { workKind } from '../bulk/table.ts';
import { enqueue } from '../jobs/enqueue.ts';
import type { JobKind } from '../jobs/kind.ts';
import { severalSeconds } from '../leads/jobs.ts';
import { closeOutKinds } from '../matters/jobs.ts';
import { type Given, statement } from '../postgres/statement.ts';
import { type Cause, type Write, writeOnBehalf } from '../record/write.ts';
import { makeNextOf, seriesKind, storedSeries } from './ahead.ts';
import { cancelEvents } from './event.ts';
import { tellGuestsOfSeveral } from './guests.ts';
import { endSeriesOf } from './series.ts';

/** Few enough that a transaction takes well under a second. */
const chunk = 100;

/**
 * Cancels the future events of a matter that was archived or deleted, each once, and tells the
 * guests: at once, or of all of them together if it was one of several.
 */
export const closeOutEvents: JobKind = {
  kind: closeOutKinds.events,
  async work({ firmId, ref, payload }, transaction, again) {
    const isOneOfSeveral = payload.isOneOfSeveral === true;
    await writeOnBehalf(transaction, firmId, payload.cause as Cause, async (w) => {
      const matterId = ref as string;
      await endSeriesOf(w, matterId);
      const count = await cancelEvents(w, matterId, chunk, isOneOfSeveral ? 'quietly' : undefined);
      if (count === chunk) again(0);
      if (count > 0 && isOneOfSeveral) tellOfSeveralLater(w, matterId);
    });
  },
};

/** Makes the next events of a series, its `ref`, in the name of who made it, for as long as it goes on. */
export const seriesMaking: JobKind = {
  kind: seriesKind,
  async work({ firmId, ref }, transaction, again) {
    const id = ref as string;
    const series = await transaction.first(storedSeries, { firmId, id });
    if (!series) return;
    const cause = { memberId: series.madeById, keyId: null, requestId: Bun.randomUUIDv7() };
    await writeOnBehalf(transaction, firmId, cause, async (w) => {
      const seconds = await makeNextOf(w, series);
      if (seconds !== undefined) again(seconds);
    });
  },
};

const tellOfSeveralLater = (w: Write, matterId: string) =>
  enqueue(w, {
    kind: eventTellOfSeveral.kind,
    dedupeKey: `event.cancelled:several:${w.author.requestId}`,
    ref: matterId,
    afterSeconds: severalSeconds,
  });

/**
 * Tells each guest once of the events that were cancelled because a request archived their matters, when
 * all of them are. Recipients are decided now: active, invited, kind not switched off.
 */
export const eventTellOfSeveral: JobKind = {
  kind: 'event_tell_of_several',
  async work({ firmId, payload }, transaction, again) {
    const requestId = payload.requestId as string;
    if (await transaction.first(stillCancelling, { firmId, requestId })) again(severalSeconds);
    else tellGuestsOfSeveral(transaction, firmId, requestId);
  },
};

// A dead one is no longer waited for. If it is retried, it has the guests told again.
const stillCancelling = statement(
  ({ firmId, requestId }: Given<'firmId' | 'requestId'>) => sql<{ id: string }>`
    select id::text as id from job where firm_id = ${firmId}::uuid
      and kind in (${workKind}, ${closeOutKinds.events})
      and payload ->> 'requestId' = ${requestId}::text and dead_at is null
    limit 1`,
);
