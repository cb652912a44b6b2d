import { sql } from 'drizzle-orm';
import { enqueue } from '../jobs/enqueue.ts';
import type { JobKind } from '../jobs/kind.ts';
import { deliver, type Told } from '../notifications/delivered.ts';
import { type Given, statement } from '../postgres/statement.ts';
import { causeOf, type Write } from '../record/write.ts';

type MatterNotice = 'matter.added' | 'matter.archived' | 'matter.deleted';

const titles: Record<MatterNotice, string> = {
  'matter.added': 'Added to a matter',
  'matter.archived': 'Matter archived',
  'matter.deleted': 'Matter deleted',
};

/**
 * Soon tells the matter's team (docs/contract.md, Notifications). `occasion` tells repeated events
 * apart: archived, reactivated and archived again notifies again.
 */
export const tellTeamLater = (
  w: Write,
  matterId: string,
  notice: MatterNotice,
  occasion: string | number,
) =>
  enqueue(w, {
    kind: matterTell.kind,
    dedupeKey: `${notice}:${matterId}:${occasion}`,
    ref: matterId,
    payload: { notice, occasion },
    afterSeconds: 0,
  });

/**
 * Tells each member of a matter's team once, however often they are on it. Recipients are decided
 * now: active, kind not switched off, and the matter not deleted unless that is the news.
 */
export const matterTell: JobKind = {
  kind: 'matter_tell',
  together: true,
  async work({ firmId, ref, payload }, transaction) {
    const { notice, occasion } = payload as { notice: MatterNotice; occasion: string };
    deliver(transaction, tellTeam, {
      firmId,
      matterId: ref as string,
      notice,
      title: titles[notice],
      cause: `${ref}:${occasion}`,
    });
  },
};

const tellTeam = statement(
  (given: Given<'firmId' | 'notice' | 'cause' | 'title' | 'matterId'>) => sql<Told>`
    insert into notification (firm_id, member_id, kind, cause, record_id, title, text, created_at, raised_at)
    select distinct matter.firm_id, member.id, ${given.notice}, ${given.cause},
      matter.id, ${given.title}, matter.number || ' ' || matter.title, moment(), moment()
    from matter
    join matter_team on matter_team.firm_id = matter.firm_id and matter_team.matter_id = matter.id
    join member on member.firm_id = matter_team.firm_id and member.id = matter_team.member_id
    where matter.firm_id = ${given.firmId} and matter.id = ${given.matterId}
      and (matter.deleted_at is not null) = (${given.notice} = 'matter.deleted')
      and member.deactivated_at is null and not ${given.notice} = any(member.muted_kinds)
    on conflict do nothing returning kind`,
);

/** Soon tells members that they were added to a matter, but not the one who added them. */
export const tellAddedLater = (w: Write, matterId: string, memberIds: string[]) => {
  const told = memberIds.filter((id) => id !== w.memberId);
  if (told.length === 0) return;
  const { requestId } = w.author;
  enqueue(w, {
    kind: matterTellAdded.kind,
    dedupeKey: `matter.added:${matterId}:${requestId}`,
    ref: matterId,
    payload: { memberIds: told, occasion: requestId },
    afterSeconds: 0,
  });
};

/**
 * Tells members that they were added to a matter. Recipients are decided now: active, still on its
 * team, kind not switched off, matter not deleted.
 */
export const matterTellAdded: JobKind = {
  kind: 'matter_tell_added',
  async work({ firmId, ref, payload }, transaction) {
    const { memberIds, occasion } = payload as { memberIds: string[]; occasion: string };
    deliver(transaction, tellAdded, {
      firmId,
      memberIds,
      matterId: ref as string,
      title: titles['matter.added'],
      cause: `${ref}:${occasion}`,
    });
  },
};

type Added = {
  firmId: string;
  matterId: string;
  memberIds: string[];
  title: string;
  cause: string;
};

const tellAdded = statement(
  (given: Given<Added>) => sql<Told>`
    insert into notification (firm_id, member_id, kind, cause, record_id, title, text, created_at, raised_at)
    select distinct matter.firm_id, member.id, 'matter.added', ${given.cause},
      matter.id, ${given.title}, matter.number || ' ' || matter.title, moment(), moment()
    from matter
    join matter_team on matter_team.firm_id = matter.firm_id and matter_team.matter_id = matter.id
    join member on member.firm_id = matter_team.firm_id and member.id = matter_team.member_id
    where matter.firm_id = ${given.firmId} and matter.id = ${given.matterId}
      and matter.deleted_at is null and member.id = any(${given.memberIds}::uuid[])
      and member.deactivated_at is null and not 'matter.added' = any(member.muted_kinds)
    on conflict do nothing returning kind`,
);

/**
 * The kinds of job that close out what belongs to a matter. Each is in the folder of its records.
 */
export const closeOutKinds = { events: 'close_out_events', tasks: 'close_out_tasks' };

/**
 * Has the matter's open tasks and future calendar events cancelled in the background, in the name
 * of the member who archived or deleted it (docs/contract.md, Records).
 */
export const closeOutLater = (w: Write, matterId: string, occasion: string | number) => {
  for (const kind of Object.values(closeOutKinds)) {
    enqueue(w, {
      kind,
      dedupeKey: `${kind}:${matterId}:${occasion}`,
      ref: matterId,
      payload: { cause: causeOf(w) },
      afterSeconds: 0,
    });
  }
};

export const limitationLookKind = 'limitation_look';

/**
 * Checks the matter's limitation date soon. Every write that sets the date, or changes who is told
 * about it, must call this: the date may be near, and the next morning may be too late.
 */
export const lookAtLimitationLater = (w: Write, matterId: string) =>
  enqueue(w, {
    kind: limitationLookKind,
    dedupeKey: `${limitationLookKind}:${matterId}:${w.author.requestId}`,
    ref: matterId,
    afterSeconds: 0,
  });
