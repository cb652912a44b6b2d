import { sql } from 'drizzle-orm';
import type { JobKind } from '../jobs/kind.ts';
import { wakeRunners } from '../jobs/runner.ts';
import { outdated, prune } from '../record/pruning.ts';
import { callBehind, firmsBehind, standing, takeTurn, turnSeconds } from './outgoing.ts';
import type { Sender } from './sender.ts';
import { idleSeconds, sendingJob } from './sending.ts';

/**
 * Sends to an endpoint: takes its turn for this server, and has `sender` do the rest when that is committed. A job holds a
 * connection, and a receiver may take fifteen seconds to answer. The job comes again when the turn is over, or when the
 * sender says.
 */
export const webhookSend = (sender: Sender | undefined): JobKind => ({
  kind: sendingJob,
  together: true,
  async work({ firmId, ref }, transaction, again) {
    const endpoint = { firmId, endpointId: ref as string };
    const stands = await transaction.first(standing, endpoint);
    if (!stands?.isSentTo) return again(idleSeconds);
    if (stands.isTaken) return again(turnPauseSeconds);
    if (!sender?.hasRoom(stands.isFailing)) return again(roomSeconds);
    const taken = await transaction.first(takeTurn, endpoint);
    if (!taken) return again(turnPauseSeconds);
    transaction.afterCommit(() => sender.begin({ ...endpoint, ...taken }, stands.isFailing));
    again(turnSeconds + 1);
  },
});

const turnPauseSeconds = 5;
const roomSeconds = 1;

const lookRestSeconds = 25;

/**
 * Looks for endpoints that do not know all yet. Servers notice what they store themselves (`heard.ts`); this finds what a
 * command stored, or a server that was killed.
 */
export const webhookLook: JobKind = {
  kind: 'webhook_look',
  everySeconds: 5,
  restSeconds: lookRestSeconds,
  async work(_job, transaction, again) {
    const firms = await transaction.run(firmsBehind);
    for (const { firmId, last } of firms) await transaction.run(callBehind, { firmId, last });
    if (firms.length === 0) again(lookRestSeconds);
    else transaction.afterCommit(wakeRunners);
  },
};

/** Removes what was stored of tries, 30 days after them. */
export const deliveryPruning: JobKind = {
  kind: 'prune_webhook_deliveries',
  everySeconds: 3_600,
  work: prune(outdated('webhook_delivery', 'id', sql`at <= moment() - interval '30 days'`)),
};
