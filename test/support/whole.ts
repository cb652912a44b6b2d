/**
 * Whether the large tests run at their whole size: WHOLE=1, as `.ci/run` has it once. Without it they
 * take a part of their many pages, values or releases, so that `npm test` takes minutes.
 */
export const isWhole = Boolean(process.env.WHOLE);
