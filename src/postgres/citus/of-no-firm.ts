import { sql } from 'drizzle-orm';
import { noFirm } from '../../base/columns.ts';
import { describeError, log } from '../../base/log.ts';
import type { Session } from '../session.ts';
import { type Given, statement } from '../statement.ts';

/**
 * Moves the rows of no firm to the coordinator if they are elsewhere: the server's own jobs then run while
 * any other node is away. If it fails, the log says so, and the next start tries again.
 */
export const keepRowsOfNoFirm = async (session: Session): Promise<void> => {
  const place = await session.first(placeOfNoFirm);
  if (!place || place.isCoordinators) return;
  try {
    await session.command('set citus.enable_unsafe_triggers = on');
    if (!place.isAlone) await session.run(isolate);
    await session.run(admitShards, { isAdmitted: true });
    // A node that takes shards also gets those of firms, so it takes none afterwards.
    await session
      .run(moveToCoordinator)
      .finally(() => session.run(admitShards, { isAdmitted: false }));
  } catch (error) {
    log('warn', 'the rows of no firm are not on the coordinator', describeError(error));
  }
};

const id = sql.raw(`'${noFirm}'`);

const placeOfNoFirm = statement(
  () => sql<{ isAlone: boolean; isCoordinators: boolean }>`
    select shardminvalue = shardmaxvalue as "isAlone", groupid = 0 as "isCoordinators"
    from pg_dist_shard join pg_dist_placement using (shardid)
    where shardid = get_shard_id_for_distribution_column('job', ${id}::uuid)`,
);

const isolate = statement(
  () => sql`select isolate_tenant_to_new_shard('job', ${id}::uuid, 'CASCADE',
    shard_transfer_mode => 'block_writes')`,
);

const admitShards = statement(
  ({ isAdmitted }: Given<{ isAdmitted: boolean }>) => sql`
    select citus_set_node_property(nodename, nodeport, 'shouldhaveshards', ${isAdmitted}::boolean)
    from pg_dist_node where groupid = 0`,
);

const moveToCoordinator = statement(
  () => sql`
    select citus_move_shard_placement(shardid, here.nodename, here.nodeport,
      coordinator.nodename, coordinator.nodeport, 'block_writes')
    from pg_dist_placement join pg_dist_node here using (groupid)
    join pg_dist_node coordinator on coordinator.groupid = 0
    where shardid = get_shard_id_for_distribution_column('job', ${id}::uuid)`,
);
