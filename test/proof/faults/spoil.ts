/** One thing of each kind spoilt on purpose: what the laboratory looks at, it must be able to see. */
import type postgres from 'postgres';
import { tamper } from '../../support/chain.ts';
import { startWork } from './clients.ts';
import { figuresOf } from './figures.ts';
import type { FirmOfClients } from './firms.ts';
import type { Laboratory } from './laboratory.ts';

type Spoil = (
  sql: postgres.TransactionSql,
  firms: { busy: FirmOfClients; quiet: FirmOfClients },
) => PromiseLike<{ count: number }>;

/** Each with the column of the table that must count it. */
const spoils: [column: string, Spoil][] = [
  [
    'lost',
    (sql, { busy: { id } }) => sql`
      update matter set title = title || '!' where firm_id = ${id} and ordinal = 1`,
  ],
  [
    'half',
    (sql, { busy: { id } }) => sql`
      delete from matter_team where firm_id = ${id} and matter_id =
        (select id from matter where firm_id = ${id} and ordinal = 2)`,
  ],
  [
    'audit',
    (sql, { busy: { id } }) => sql`
      delete from audit_entry where id = (select max(id) from audit_entry
        where firm_id = ${id} and record_kind = 'contact')`,
  ],
  [
    'chain',
    (sql, { busy: { id } }) => sql`
      update audit_entry set request_id = 'another' where id =
        (select min(id) from audit_entry where firm_id = ${id})`,
  ],
  [
    'replay',
    (sql, { busy: { id } }) => sql`
      update lead set value = 'HIGH' where firm_id = ${id} and ordinal = 1`,
  ],
  [
    'numbers',
    (sql, { busy: { id } }) => sql`
      update lead set number = number || '0' where firm_id = ${id} and ordinal = 2`,
  ],
  [
    'lists',
    (sql, { busy: { id } }) => sql`
      update register set live = live + 1 where firm_id = ${id} and kind = 'matter'`,
  ],
  [
    'told',
    (sql, { busy: { id } }) => sql`
      delete from notification where kind = 'matter.added' and record_id = (
        select min(id::text)::uuid from matter where firm_id = ${id} and deleted_at is null)`,
  ],
  [
    'told',
    (sql, { quiet: { id } }) => sql`
      delete from notification where firm_id = ${id} and kind like 'lead.%'`,
  ],
  [
    'foreign',
    (sql, { busy, quiet }) => sql`
      update notification set text = ${quiet.marker} where id = (select max(id) from notification
        where firm_id = ${busy.id} and kind = 'matter.added')`,
  ],
  [
    'dead',
    (sql, { busy: { id } }) => sql`
      insert into job (firm_id, kind, dedupe_key, payload, run_at, dead_at)
      values (${id}, 'lead_announce', 'spoilt', '{}', moment(), moment())`,
  ],
  [
    'closing',
    (sql, { busy: { id } }) => sql`
      update task set cancelled_at = case when cancelled_at is null then moment() end
      where id = (select min(id::text)::uuid from task where firm_id = ${id})`,
  ],
  [
    'twice',
    async (_, { busy: { known } }) => ({ count: +known.delete([...known.keys()].at(-1) ?? '') }),
  ],
];

/** Spoils one firm's records, looks at everything, and gives the columns that did not show it. */
export const unseenSpoils = async (lab: Laboratory, firms: FirmOfClients[]): Promise<string[]> => {
  const busy = firms.find(({ quietSeconds }) => quietSeconds === 0);
  const quiet = firms.find(({ quietSeconds }) => quietSeconds > 0);
  if (!busy || !quiet) throw new Error('There is nothing to spoil.');
  const columns: string[] = [];
  await lab.look((sql) =>
    tamper(sql, async (transaction) => {
      for (const [column, spoil] of spoils) {
        // Where little was done, there may be nothing of a kind to spoil.
        const { count } = await spoil(transaction, { busy, quiet });
        if (count > 0) columns.push(column);
      }
    }),
  );
  const work = startWork(lab, firms, { mayDrop: false });
  await work.finish();
  const { misfits } = await figuresOf(lab, work);
  const least = (column: string) => columns.filter((one) => one === column).length;
  return columns.filter((column) => (misfits[column]?.length ?? 0) < least(column));
};
