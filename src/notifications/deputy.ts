/** What a notice says to a deputy who gets it because a colleague is away. */
import { type SQL, sql } from 'drizzle-orm';

const standsIn = ' (you stand in for a colleague)';

/** What a deputy's notice adds to its title, which names nobody. */
export const asDeputy = (isDeputy: SQL) =>
  sql`case when ${isDeputy} then ${sql.raw(`'${standsIn}'`)} else '' end`;

/** Whether a notice with this title is a deputy's. */
export const isOfDeputy = (title: string): boolean => title.endsWith(standsIn);
