/**
 * Waits until it holds, and looks again every few milliseconds. On a busy machine what must come may take
 * long: the limit ends what would never come, and proves nothing.
 */
export const until = async (holds: () => boolean | Promise<boolean>): Promise<void> => {
  const end = performance.now() + 400_000;
  while (!(await holds())) {
    if (performance.now() > end) throw new Error(`It did not come about in time: ${holds}`);
    await Bun.sleep(20);
  }
};
