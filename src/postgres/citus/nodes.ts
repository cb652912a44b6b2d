import { sql } from 'drizzle-orm';
import type { Session } from '../session.ts';
import { statement } from '../statement.ts';
import { isSpread } from './distribute.ts';

/**
 * The addresses of the nodes that the coordinator of a spread database cannot reach. None if the database is
 * on one Postgres.
 */
export const nodesAway = async (session: Session): Promise<string[]> =>
  (await isSpread(session)) ? (await session.run(unreachable)).map(({ address }) => address) : [];

const unreachable = statement(
  () => sql<{ address: string }>`
    select nodename || ':' || nodeport as address from pg_dist_node
    where isactive and noderole = 'primary'
      and not citus_check_connection_to_node(nodename, nodeport)
    order by nodeid`,
);
