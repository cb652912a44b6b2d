/** Has endpoints be sent to soon after this server has stored something in their firm. */
import { onCommitted } from '../audit/committed.ts';
import { describeError, log } from '../base/log.ts';
import type { Fresh } from '../events/fresh.ts';
import { wakeRunners } from '../jobs/runner.ts';
import type { Database } from '../postgres/pool.ts';
import { callBehind, hasEndpoints } from './outgoing.ts';

/** What is stored at the same moment is sent together. */
const gatherMilliseconds = 250;
/** For so long a firm without endpoints is not asked again whether it has one. */
const noneMilliseconds = 2_000;
const maxFirms = 10_000;

/** Listens until it is stopped. No write waits for it. */
export const hearCommits = (database: Database, fresh: Pick<Fresh, 'lastOf'>) => {
  const timers = new Map<string, Timer>();
  const none = new Map<string, number>();

  const call = async (firmId: string) => {
    const { has = false } = (await database.first(hasEndpoints, { firmId })) ?? {};
    if (!has) {
      if (none.size >= maxFirms) none.clear();
      none.set(firmId, performance.now());
      return;
    }
    const last = await fresh.lastOf(firmId);
    await database.run(callBehind, { firmId, last: String(last) });
    wakeRunners();
  };

  const hear = (firmId: string) => {
    const asked = none.get(firmId) ?? Number.NEGATIVE_INFINITY;
    if (timers.has(firmId) || performance.now() - asked < noneMilliseconds) return;
    const timer = setTimeout(() => {
      timers.delete(firmId);
      // The database may be away: the job that looks finds it later.
      call(firmId).catch((error) => log('warn', 'webhooks wait', describeError(error)));
    }, gatherMilliseconds);
    timers.set(firmId, timer);
  };

  const hearNoMore = onCommitted(hear);
  return {
    close() {
      hearNoMore();
      for (const timer of timers.values()) clearTimeout(timer);
      timers.clear();
    },
  };
};
