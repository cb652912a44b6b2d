/** Has endpoints be sent to soon after this server has stored something in their firm. */
import { onCommitted } from '../audit/committed.ts';
import { describeError, log } from '../base/log.ts';
import type { Fresh } from '../events/fresh.ts';
import { wakeRunners } from '../jobs/runner.ts';
import type { Database } from '../postgres/pool.ts';
import { callBehind, hasEndpoints } from './outgoing.ts';

/** What is stored at the same moment is sent together. */
const gatherMilliseconds = 250;
/** For so long a firm without endpoints is not asked again whether it has one. Then it is: one may have been made. */
const noneMilliseconds = 2_000;
const maxFirms = 10_000;

/**
 * Listens until it is stopped. No write waits for it. One firm is looked at after the other: while the database does not
 * answer, one connection waits for it and not all of them.
 */
export const hearCommits = (database: Database, fresh: Pick<Fresh, 'lastOf' | 'isBehind'>) => {
  /** When each firm stored something last. */
  const heard = new Map<string, number>();
  const none = new Map<string, number>();
  let timer: Timer | undefined;
  let isClosed = false;

  const call = async (firmId: string, at: number) => {
    const { has = false } = (await database.first(hasEndpoints, { firmId })) ?? {};
    if (!has) {
      if (none.size >= maxFirms) none.clear();
      none.set(firmId, performance.now());
      return;
    }
    const last = await fresh.lastOf(firmId, performance.now() - at);
    if (fresh.isBehind(firmId)) heard.set(firmId, performance.now());
    await database.run(callBehind, { firmId, last: String(last) });
    wakeRunners();
  };

  const callAll = async () => {
    const firms = [...heard];
    heard.clear();
    for (const [firmId, at] of isClosed ? [] : firms) {
      if (hadNone(firmId)) {
        heard.set(firmId, Math.max(at, heard.get(firmId) ?? 0));
        continue;
      }
      // The database may be away: the job that looks finds it later.
      await call(firmId, at).catch((error) => log('warn', 'webhooks wait', describeError(error)));
    }
    timer = undefined;
    if (heard.size > 0) begin();
  };

  const begin = () => {
    if (!isClosed) timer ??= setTimeout(callAll, gatherMilliseconds);
  };

  const hadNone = (firmId: string) => {
    const asked = none.get(firmId) ?? Number.NEGATIVE_INFINITY;
    return performance.now() - asked < noneMilliseconds;
  };

  const hear = (firmId: string) => {
    heard.set(firmId, performance.now());
    begin();
  };

  const hearNoMore = onCommitted(hear);
  return {
    close() {
      isClosed = true;
      hearNoMore();
      clearTimeout(timer);
    },
  };
};
