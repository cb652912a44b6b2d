/** One round: the jobs that are due at a moment, in batches, a few at a time. */
import { runBatch, type Shared } from './batch.ts';
import { type Due, dueBatch, maxCrashes } from './queue.ts';

const atOnce = 4;
// A round begins no more batches after this long, and looks again at what is due.
const roundMilliseconds = 500;
// Instances that count a start at the same moment add up, until one of them holds the job and the others leave it.
const watchedMilliseconds = 10_000;

/**
 * Runs due jobs until all have run, the round is over or `isStopping`. Returns how many batches
 * were to be had. Throws `Refusal` unavailable when the database is away.
 */
export const runRound = async (
  shared: Shared,
  due: Due[],
  isStopping: () => boolean,
): Promise<number> => {
  let done = 0;
  const until = performance.now() + roundMilliseconds;
  const work = async (batches: Due[][]) => {
    for (let next = batches.shift(); next && !isStopping(); next = batches.shift()) {
      if (await runBatch(shared, next)) done += 1;
      if (performance.now() > until) return;
    }
  };
  const fresh = batchesOf(shared, due);
  // A backlog is worked off one batch at a time: people wait for requests, and should notice little.
  const lanes = due.length >= dueBatch ? 1 : atOnce;
  const working = Array.from({ length: lanes }, () =>
    work(fresh).catch((error) => {
      // The database is away: the others finish what they have, and take no more.
      fresh.length = 0;
      throw error;
    }),
  );
  await Promise.allSettled(working);
  await Promise.all(working);
  await work(suspectsOf(shared, due));
  return done;
};

/** Jobs that share a transaction. One that was begun before may fail again, and stays alone. */
const batchesOf = ({ kinds, apart }: Shared, due: Due[]): Due[][] => {
  const keyOf = ({ kind, firmId, id, starts }: Due) =>
    kinds.get(kind)?.together && starts === 0 && !apart.has(id) ? `${kind} ${firmId}` : id;
  const unsuspected = due.filter(({ crashes }) => crashes <= 0);
  return [...Map.groupBy(unsuspected, keyOf).values()];
};

/**
 * A job that was begun and not ended may have ended its process. Such jobs run alone, and the least
 * suspect first, so that the others of that moment are not taken for poisonous instead.
 */
const suspectsOf = (shared: Shared, due: Due[]): Due[][] =>
  due
    .filter(({ crashes }) => crashes > 0)
    .filter((suspect) => suspect.crashes < maxCrashes || wasWatched(shared, suspect))
    .sort((one, other) => one.crashes - other.crashes)
    .map((suspect) => [suspect]);

/** Whether a job that is to be given up has stood like this for a while. */
const wasWatched = ({ watched }: Shared, { id, crashes, now }: Due): boolean => {
  const seen = watched.get(id);
  const at = Date.parse(now);
  if (seen?.crashes === crashes) return at - seen.since >= watchedMilliseconds;
  watched.set(id, { crashes, since: at });
  return false;
};
