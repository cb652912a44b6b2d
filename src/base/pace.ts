/** How long work may hold the thread before others go first. */
const maxMilliseconds = 10;

/**
 * For long work in steps: called between two of them, it lets other requests go first if the steps
 * since then have taken long enough.
 */
export const openPace = (): (() => Promise<void>) => {
  let since = performance.now();
  return async () => {
    if (performance.now() - since < maxMilliseconds) return;
    await Bun.sleep(0);
    since = performance.now();
  };
};
