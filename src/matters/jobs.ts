import { sql } from 'drizzle-orm';
import { bulkChange, bulkRow } from '../bulk/table.ts';
import { isHolderOrDeputy } from '../firm/absence.ts';
import { enqueue } from '../jobs/enqueue.ts';
import type { JobKind } from '../jobs/kind.ts';
import { severalSeconds } from '../leads/jobs.ts';
import { deliver, type Told } from '../notifications/delivered.ts';
import { asDeputy } from '../notifications/deputy.ts';
import { type Given, statement } from '../postgres/statement.ts';
import { isByPerson } from '../record/actor.ts';
import { causeOf, type Write } from '../record/write.ts';
import { roleReads } from '../visibility/subject.ts';

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
    payload: { notice, occasion, ...(isByPerson(w) && { doerId: w.memberId }) },
    afterSeconds: 0,
  });

/**
 * Tells each member of a matter's team once, however often they are on it. Recipients are decided
 * now: active, kind not switched off, and the matter not deleted unless that is the news. If a person made the matter
 * in the application, their deputies are told too, as by `matterTellAdded`; what a program does tells the team alone, as
 * the specification has it.
 */
export const matterTell: JobKind = {
  kind: 'matter_tell',
  together: true,
  async work({ firmId, ref, payload }, transaction) {
    const { notice, occasion, doerId } = payload as TeamNews;
    const told = { firmId, matterId: ref as string, cause: `${ref}:${occasion}` };
    const title = titles[notice];
    if (notice === 'matter.added' && doerId) {
      deliver(transaction, tellAdded, { ...told, memberIds: null, doerId, title });
    } else deliver(transaction, tellTeam, { ...told, notice, title });
  },
};

/** `doerId` is the person who did it. */
type TeamNews = { notice: MatterNotice; occasion: string; doerId?: string };

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
    payload: { memberIds: told, occasion: requestId, doerId: w.memberId },
    afterSeconds: 0,
  });
};

/**
 * Tells members that they were added to a matter. Recipients are decided now: active, still on its
 * team, kind not switched off, matter not deleted. Who stands in for one who is away is told too, if they may read
 * matters and have not added them.
 */
export const matterTellAdded: JobKind = {
  kind: 'matter_tell_added',
  async work({ firmId, ref, payload }, transaction) {
    const { memberIds, occasion, doerId = null } = payload as AddedNews;
    deliver(transaction, tellAdded, {
      firmId,
      memberIds,
      doerId,
      matterId: ref as string,
      title: titles['matter.added'],
      cause: `${ref}:${occasion}`,
    });
  },
};

/** A job of before has no `doerId`. */
type AddedNews = { memberIds: string[]; occasion: string; doerId?: string | null };

/** Those of these members, or of the whole team. */
type Added = {
  firmId: string;
  matterId: string;
  memberIds: string[] | null;
  doerId: string | null;
  title: string;
  cause: string;
};

const tellAdded = statement(
  (given: Given<Added>) => sql<Told>`
    insert into notification (firm_id, member_id, kind, cause, record_id, title, text, created_at, raised_at)
    select matter.firm_id, member.id, 'matter.added', ${given.cause},
      matter.id, ${given.title}::text || ${asDeputy(sql.raw('member.id <> holder.id'))}, matter.number || ' ' || matter.title, moment(), moment()
    from matter
    join matter_team on matter_team.firm_id = matter.firm_id and matter_team.matter_id = matter.id
    join member holder on holder.firm_id = matter_team.firm_id and holder.id = matter_team.member_id
    join member on member.firm_id = matter_team.firm_id and ${isHolderOrDeputy}
    join role on role.firm_id = member.firm_id and role.id = member.role_id
    where matter.firm_id = ${given.firmId} and matter.id = ${given.matterId} and matter.deleted_at is null
      and (${given.memberIds}::uuid[] is null or holder.id = any(${given.memberIds}::uuid[]))
      and (member.id = holder.id
        or member.id is distinct from ${given.doerId}::uuid and ${roleReads('matters')})
      and member.deactivated_at is null and not 'matter.added' = any(member.muted_kinds)
    order by member.id <> holder.id
    on conflict do nothing returning kind`,
);

/**
 * Soon tells the teams of the matters that a bulk changed, each member once. As for a single matter, who
 * did it is told if they are archived, and not of what they added themselves to.
 */
export const tellTeamsOfSeveralLater = (
  w: Write,
  bulkId: string,
  notice: 'matter.added' | 'matter.archived',
) =>
  enqueue(w, {
    kind: matterTellOfSeveral.kind,
    dedupeKey: `${notice}:several:${bulkId}`,
    ref: bulkId,
    payload: { notice },
    afterSeconds: severalSeconds,
  });

/**
 * Tells each member of all the matters that a bulk added them to, or that it archived. Recipients are
 * decided now: active, on the team, kind not switched off, matter not deleted. A deputy is told, in one notice more, of those to
 * which it added colleagues who are away.
 */
export const matterTellOfSeveral: JobKind = {
  kind: 'matter_tell_of_several',
  async work({ firmId, ref, payload }, transaction) {
    const { notice } = payload as { notice: keyof typeof several };
    const told = { bulkId: ref as string, notice, title: titles[notice], ...several[notice] };
    void deliver(transaction, tellOfSeveral, { firmId, ...told });
  },
};

/** What the notice of several matters says. The title is a mail's subject, so that it names nobody. */
const several = {
  'matter.added': {
    titleOfSeveral: 'Added to matters',
    did: 'added you to',
    didToColleague: 'added a colleague to',
  },
  'matter.archived': { titleOfSeveral: 'Matters archived', did: 'archived', didToColleague: '' },
};

type ToldOfSeveral = Given<
  'firmId' | 'bulkId' | 'notice' | 'title' | 'titleOfSeveral' | 'did' | 'didToColleague'
>;

const tellOfSeveral = statement(
  ({
    firmId,
    bulkId,
    notice,
    title,
    titleOfSeveral,
    did,
    didToColleague,
  }: ToldOfSeveral) => sql<Told>`
    insert into notification
      (firm_id, member_id, kind, cause, record_id, title, text, count, created_at, raised_at)
    select ${firmId}::uuid, told.member_id, ${notice}::text,
      ${bulkId} || case when told.stands_in then ':deputy' else '' end,
      case when told.count = 1 then told.matter_id end,
      case when told.count = 1 then ${title} else ${titleOfSeveral} end || ${asDeputy(sql.raw('told.stands_in'))},
      case when told.count = 1 then told.name
        else giver.name || ' ' || case when told.stands_in then ${didToColleague} else ${did} end
          || ' ' || told.count || ' matters' end,
      told.count, moment(), moment()
    from (
      select one.member_id, one.stands_in, count(*)::int as count, min(one.matter_id::text)::uuid as matter_id,
        min(one.name) as name
      from (
      select member.id as member_id, matter.id as matter_id, bool_and(member.id <> holder.id) as stands_in,
        min(matter.number || ' ' || matter.title) as name
      from ${bulkRow} bulk_row
      join ${bulkChange} bulk on bulk.firm_id = bulk_row.firm_id and bulk.id = bulk_row.bulk_id
      join matter on matter.firm_id = bulk_row.firm_id and matter.id = bulk_row.record_id
        and matter.deleted_at is null
      join audit_entry entry on entry.firm_id = matter.firm_id and entry.record_id = matter.id
        and entry.request_id = bulk.request_id and entry.action = 'update'
      join matter_team on matter_team.firm_id = matter.firm_id and matter_team.matter_id = matter.id
      join member holder on holder.firm_id = matter_team.firm_id and holder.id = matter_team.member_id
      join member on member.firm_id = matter_team.firm_id and ${isHolderOrDeputy}
      join role on role.firm_id = member.firm_id and role.id = member.role_id
      where bulk_row.firm_id = ${firmId}::uuid and bulk_row.bulk_id = ${bulkId}::uuid
        and (holder.id <> bulk.member_id or ${notice}::text = 'matter.archived')
        and (member.id = holder.id or ${notice}::text = 'matter.added' and member.id <> bulk.member_id
          and ${roleReads('matters')})
        and member.deactivated_at is null and not ${notice}::text = any(member.muted_kinds)
        and case ${notice}::text when 'matter.archived' then entry.changes ? 'status'
          else entry.changes -> 'team' -> 'after' @> jsonb_build_array(
              jsonb_build_object('memberId', holder.id::text))
            and not entry.changes -> 'team' -> 'before' @> jsonb_build_array(
              jsonb_build_object('memberId', holder.id::text)) end
      group by member.id, matter.id) one
      group by one.member_id, one.stands_in) told
    join ${bulkChange} bulk on bulk.firm_id = ${firmId}::uuid and bulk.id = ${bulkId}::uuid
    join member giver on giver.firm_id = bulk.firm_id and giver.id = bulk.member_id
    on conflict do nothing returning kind`,
);

/**
 * The kinds of job that close out what belongs to a matter. Each is in the folder of its records.
 */
export const closeOutKinds = { events: 'close_out_events', tasks: 'close_out_tasks' };

/**
 * Has the matter's open tasks and future calendar events cancelled in the background, in the name
 * of the member who archived or deleted it (docs/contract.md, Records). Of one of several matters, the
 * guests are told once of the events of all.
 */
export const closeOutLater = (
  w: Write,
  matterId: string,
  occasion: string | number,
  as?: 'one of several',
) => {
  for (const kind of Object.values(closeOutKinds)) {
    enqueue(w, {
      kind,
      dedupeKey: `${kind}:${matterId}:${occasion}`,
      ref: matterId,
      payload: { cause: causeOf(w), ...(as && { isOneOfSeveral: true }) },
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
