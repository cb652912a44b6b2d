/** Undo of a move between stages: the move is forgotten, so the record is in its stage since it had come there before. */
import { sql } from 'drizzle-orm';
import { type Given, statement } from '../postgres/statement.ts';
import type { Write } from './write.ts';

/** Where a kind of record keeps its moves, and what the audit log calls its stage. */
type Moves = { table: string; recordId: string; stage: string };

/** A record on its way back: the stage in which it is, and the one from which it came. */
type WayBack = { recordId: string; from: string; to: string };

/**
 * Forgets a record's last move, if that is the one that this way back undoes, and its author made it themselves within the last
 * day. Says whether it did: if not, the way back is a move like any other. Called before the change itself is recorded.
 */
export const forgetsMove = (moves: Moves) => {
  const forget = forgetIn(moves);
  return async (w: Write, way: WayBack): Promise<boolean> => {
    const { firmId, memberId } = w;
    return (await w.first(forget, { firmId, memberId, ...way })) !== undefined;
  };
};

type Asked = WayBack & { firmId: string; memberId: string | null };

// The audit log says who made the last change of the stage. If another change lies between the last move that is kept and
// that one, then that one was an Undo itself, which keeps no move.
const forgetIn = (moves: Moves) => {
  const [table, recordIdColumn] = [sql.raw(moves.table), sql.raw(moves.recordId)];
  const ofStage = sql.raw(`changes ? '${moves.stage}'`);
  return statement(
    ({ firmId, memberId, recordId, from, to }: Given<Asked>) => sql<{ id: string }>`
      delete from ${table} where firm_id = ${firmId}::uuid and id = (
        select last.id from (
          select id, from_stage_id, to_stage_id, at from ${table}
          where firm_id = ${firmId}::uuid and ${recordIdColumn} = ${recordId}::uuid
          order by at desc, id desc limit 1) last
        cross join (
          select id, member_id, key_id, at from audit_entry
          where firm_id = ${firmId}::uuid and record_id = ${recordId}::uuid and ${ofStage}
          order by id desc limit 1) made
        where last.from_stage_id = ${to}::uuid and last.to_stage_id = ${from}::uuid
          and made.member_id = ${memberId}::uuid and made.key_id is null
          and made.at > moment() - interval '24 hours'
          and not exists (
            select from audit_entry where firm_id = ${firmId}::uuid and record_id = ${recordId}::uuid
              and ${ofStage} and id < made.id and at > last.at))
      returning id::text as id`,
  );
};
