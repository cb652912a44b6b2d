/** What work costs this process, whatever else the machine does: the time of its processors, not of the clock. */

const minTries = 5;
/** What takes little is tried until all tries took this long: in each of a few, memory may be cleared. */
const minMilliseconds = 400;

/** The least that the work costs, of several tries, in milliseconds of the process's processor time. */
export const costOf = async (work: () => Promise<unknown>): Promise<number> => {
  let least = Number.POSITIVE_INFINITY;
  let all = 0;
  for (let count = 0; count < minTries || all < minMilliseconds; count += 1) {
    const before = process.cpuUsage();
    await work();
    const { user, system } = process.cpuUsage(before);
    const cost = (user + system) / 1_000;
    least = Math.min(least, cost);
    all += cost;
  }
  return least;
};

/** How many times as much the work costs if there is four times as much of it. */
export const growthOf = async (
  work: (size: number) => Promise<unknown>,
  max: number,
): Promise<number> => {
  // The code is compiled while it runs for the first time.
  await work(max);
  const [little, much] = [await costOf(() => work(max / 4)), await costOf(() => work(max))];
  return much / little;
};
