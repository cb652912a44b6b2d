/** Who was told of a matter's limitation date, who has opened it, and who has it. */
import { sql } from 'drizzle-orm';
import { describeError, log } from '../base/log.ts';
import { invalid, notFound } from '../base/refusal.ts';
import type { MailState } from '../mail/table.ts';
import { matterForChange } from '../matters/list.ts';
import { type Given, statement } from '../postgres/statement.ts';
import type { Actor, Reader } from '../record/actor.ts';
import { type Acting, write } from '../record/write.ts';
import { type AskedAs, receipt, type Withdrawn } from './table.ts';

/** One line: a member who must know of a limitation date, and what is known of it. */
export type ReceiptLine = {
  id: string;
  memberId: string;
  memberName: string;
  askedAs: AskedAs;
  /** The date, and so many days before it the notice was due. */
  day: string;
  step: number;
  askedAt: Date;
  /** Whether the member was asked because nobody had the date. */
  isLate: boolean;
  /** When it came into the inbox; null if the member has switched these notices off. */
  toldAt: Date | null;
  /** The notice's mail, if there is one: how it stands, the server's code, and since when. */
  mail: { state: MailState; code: number | null; at: Date } | null;
  openedAt: Date | null;
  acknowledgedAt: Date | null;
  withdrawnAt: Date | null;
  withdrawnBecause: Withdrawn | null;
};

/** The lines of a matter's limitation dates, the newest notice first. The caller has checked that the reader sees the matter. */
export const receiptsOf = async (reader: Reader, matterId: string): Promise<ReceiptLine[]> => {
  const rows = await reader.run(linesOf, { firmId: reader.firmId, matterId });
  return rows.map(({ mailState, mailCode, mailAt, ...row }) => ({
    ...row,
    askedAt: new Date(row.askedAt),
    toldAt: dated(row.toldAt),
    mail: mailState && { state: mailState, code: mailCode, at: new Date(mailAt) },
    openedAt: dated(row.openedAt),
    acknowledgedAt: dated(row.acknowledgedAt),
    withdrawnAt: dated(row.withdrawnAt),
  }));
};

const dated = (at: Date | string | null) => (at === null ? null : new Date(at));

type Row = Omit<ReceiptLine, 'mail'> & {
  mailState: MailState | null;
  mailCode: number | null;
  mailAt: string;
};

const linesOf = statement(
  ({ firmId, matterId }: Given<'firmId' | 'matterId'>) => sql<Row>`
    select receipt.id::text as id, receipt.member_id::text as "memberId", member.name as "memberName",
      receipt.asked_as as "askedAs", receipt.day::text as day, receipt.step,
      receipt.asked_at as "askedAt", receipt.escalated_on is not null as "isLate", receipt.told_at as "toldAt",
      mail.state as "mailState", mail.code as "mailCode",
      coalesce(mail.ended_at, mail.queued_at) as "mailAt", receipt.opened_at as "openedAt",
      receipt.acknowledged_at as "acknowledgedAt", receipt.withdrawn_at as "withdrawnAt",
      receipt.withdrawn_because as "withdrawnBecause"
    from receipt
    join member on member.firm_id = receipt.firm_id and member.id = receipt.member_id
    left join mail on mail.firm_id = receipt.firm_id
      and mail.notification_id = receipt.notification_id
    where receipt.firm_id = ${firmId}::uuid and receipt.matter_id = ${matterId}::uuid
    order by receipt.asked_at desc, receipt.step, receipt.asked_as desc, member.name, receipt.id
    limit 200`,
);

/** The lines about the date as it stands, of its newest notice. */
export const presentLines = (lines: readonly ReceiptLine[]): ReceiptLine[] => {
  const standing = lines.filter(({ withdrawnAt }) => withdrawnAt === null);
  const step = Math.min(...standing.map((line) => line.step));
  return standing
    .filter((line) => line.step === step)
    .sort((one, other) => one.askedAt.getTime() - other.askedAt.getTime());
};

/**
 * Says that the acting member has this limitation date of a matter: nobody else is asked any more until its next
 * notice. Said again, it changes nothing. Throws `Refusal` not_found; invalid_request if the date is another one now,
 * or if the member is not asked about it.
 */
export const acknowledgeLimitation = (actor: Acting, matterId: string, day: string) =>
  write(actor, async (w) => {
    const [matter, now] = await Promise.all([matterForChange(w, matterId), w.now()]);
    if (!matter) throw notFound();
    if (matter.solDate !== day) {
      throw invalid('The limitation date has changed. Look at it again.');
    }
    const asked = await w.run(ownReceipts, { firmId: w.firmId, matterId, memberId: w.memberId });
    if (asked.length === 0) throw invalid('You are not asked about this limitation date.');
    for (const { id, isAcknowledged } of asked) {
      if (isAcknowledged) continue;
      const also = { day: { before: null, after: day } };
      w.update(receipt, { id, acknowledgedAt: null }, { acknowledgedAt: now }, also);
    }
  });

type Own = { firmId: string; matterId: string; memberId: string | null };

const ownReceipts = statement(
  (given: Given<Own>) => sql<{ id: string; isAcknowledged: boolean }>`
    select id::text as id, acknowledged_at is not null as "isAcknowledged"
    from receipt
    where firm_id = ${given.firmId}::uuid and matter_id = ${given.matterId}::uuid
      and member_id = ${given.memberId}::uuid and withdrawn_at is null
    order by step desc for update`,
);

/**
 * Notes soon that the acting member has opened the matter's page, once for each of their lines. Nobody waits for it,
 * and it is no entry of the audit log.
 */
export const noteOpened = (actor: Actor, matterId: string, lines: readonly ReceiptLine[]): void => {
  const { database, firmId, memberId } = actor;
  const isNew = lines.some(
    (line) =>
      line.memberId === memberId &&
      line.openedAt === null &&
      line.acknowledgedAt === null &&
      line.withdrawnAt === null,
  );
  if (!isNew) return;
  setImmediate(() => {
    database
      .run(open, { firmId, matterId, memberId })
      .catch((error) => log('warn', 'a receipt is not noted as opened', describeError(error)));
  });
};

const open = statement(
  (given: Given<Own>) => sql`
    update receipt set opened_at = moment()
    where firm_id = ${given.firmId}::uuid and matter_id = ${given.matterId}::uuid
      and member_id = ${given.memberId}::uuid and opened_at is null
      and acknowledged_at is null and withdrawn_at is null`,
);

/** Of these matters, those whose limitation date the reader is asked about now, with the date. */
export const askedAmong = async (
  reader: Pick<Reader, 'run' | 'firmId' | 'memberId'>,
  matterIds: readonly string[],
): Promise<ReadonlyMap<string, string>> => {
  if (matterIds.length === 0) return new Map();
  const { firmId, memberId } = reader;
  const rows = await reader.run(openAmong, { firmId, memberId, matterIds: [...matterIds] });
  return new Map(rows.map(({ matterId, day }) => [matterId, day]));
};

const openAmong = statement(
  (given: Given<{ firmId: string; memberId: string | null; matterIds: string[] }>) => sql<{
    matterId: string;
    day: string;
  }>`
    select distinct matter_id::text as "matterId", day::text as day from receipt
    where firm_id = ${given.firmId}::uuid and member_id = ${given.memberId}::uuid
      and matter_id = any(${given.matterIds}::uuid[])
      and acknowledged_at is null and withdrawn_at is null`,
);
