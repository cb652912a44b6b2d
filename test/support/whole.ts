/**
 * Whether the large tests run at their whole size: WHOLE=1, as `.ci/run` has it once. Without it they
 * take a part of their many pages, values or releases, so that a run of all tests takes minutes.
 */
export const isWhole = Boolean(process.env.WHOLE);

/** Gives a twelfth of many values but at least one, the next time another; with WHOLE=1 always all. */
export const inTurns = () => {
  let turn = 0;
  return <One>(all: readonly One[]): readonly One[] => {
    turn += 1;
    const step = Math.min(12, all.length);
    return isWhole ? all : all.filter((_, at) => (at + turn) % step === 0);
  };
};
