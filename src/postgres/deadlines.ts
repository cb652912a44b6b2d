/**
 * How long the database may take, in milliseconds: to take a connection, to give a row that another
 * transaction holds, to run one statement, to answer at all, and to have a connection free for a
 * transaction. For tests on a machine that is busy with other tests, MATTERHORN_TEST_PATIENCE says how
 * many times as long; tests of these deadlines ask here, or run without it.
 */
export const deadlines = () => {
  const patience = Number(process.env.MATTERHORN_TEST_PATIENCE ?? 1);
  return {
    connect: 2_000 * patience,
    lock: 2_000 * patience,
    statement: 5_000 * patience,
    answer: 6_000 * patience,
    reserve: 3_000 * patience,
  };
};
