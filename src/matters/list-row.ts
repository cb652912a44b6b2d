import { type SQL, sql } from 'drizzle-orm';
import type { Given } from '../postgres/statement.ts';

/** What a line of the list and a card of the board both show of a matter. */
export type MatterRow = {
  id: string;
  number: string;
  title: string;
  /** The names of its clients, the primary one first. */
  clients: string[];
  solDate: string | null;
  limitationMetOn: string | null;
  /** The name of who said that the limitation date was met. */
  limitationMetBy: string | null;
  expectsLimitationDate: boolean;
};

/** The columns of `MatterRow`, in a statement that joins `matter` and `practice_area`. */
export const matterRow = ({ firmId }: Given<'firmId'>) => sql`
  matter.id, matter.number, matter.title, matter.sol_date::text as "solDate",
  matter.limitation_met_on::text as "limitationMetOn",
  (select name from member where member.firm_id = ${firmId}
    and member.id = matter.limitation_met_by_id) as "limitationMetBy",
  practice_area.expects_limitation_date as "expectsLimitationDate",
  coalesce((select json_agg(contact.name order by part.is_primary desc, part.position)
    from matter_client part join contact on contact.firm_id = part.firm_id
      and contact.id = part.contact_id
    where part.firm_id = ${firmId} and part.matter_id = matter.id), '[]') as clients`;

/** The responsible attorneys of `matter` in their order, as a JSON list of `one`, a value made of `member`. */
export const responsibleAs = ({ firmId }: Given<'firmId'>, one: SQL) => sql`
  coalesce((select json_agg(${one} order by part.position)
    from matter_team part join member on member.firm_id = part.firm_id
      and member.id = part.member_id
    where part.firm_id = ${firmId} and part.matter_id = matter.id
      and part.role = 'RESPONSIBLE_ATTORNEY'), '[]')`;
