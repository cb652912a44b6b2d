import type { Changes } from '../audit/table.ts';
import { newId } from '../base/columns.ts';
import { invalid, notFound, Refusal } from '../base/refusal.ts';
import { emailsFrom, phonesFrom } from '../contacts/addresses.ts';
import { storeContact } from '../contacts/contact.ts';
import { mergeName, trimmed } from '../contacts/name.ts';
import { followLead, holdContactOf } from '../contacts/privacy.ts';
import { contact } from '../contacts/table.ts';
import { customFieldsOn, mergeCustomFields } from '../custom-fields/custom-field.ts';
import { storeNote } from '../notes/note.ts';
import { type Given, query, statement } from '../postgres/statement.ts';
import { practiceAreaFor } from '../practice-areas/list.ts';
import { forgetsMove } from '../record/moved-back.ts';
import { type Acting, type Write, write, writeNew } from '../record/write.ts';
import { notNumbered, numberFor } from '../register/numbering.ts';
import { allocate, countOf, countPrivacy, countRemoved } from '../register/register.ts';
import { searchTextOf, searchTextOfNumber, searchTextWith } from '../search-text/search-text.ts';
import { checkMembers, storeAssignees } from './assignees.ts';
import { leadExternalIds } from './external-id.ts';
import { announceLater, tellAssignedLater } from './jobs.ts';
import { leadForChange } from './list.ts';
import { touchedIfChanged, withNextTouch } from './next-touch.ts';
import { holdLeadStage, leadStageList, stageAmong } from './stages.ts';
import { lead, leadAssignee, leadMove } from './table.ts';
import { viewLeadFull } from './view.ts';
import type { LeadChange, NewLead } from './wire.ts';

/**
 * Makes a prospect's contact and the lead attached to it, and has the lead announced a minute
 * later. Throws `Refusal`, in the contract's order: invalid_request for a missing name, not_found
 * for a reference, not_configured without lead numbering, invalid_request without any stage,
 * invalid_custom_field (docs/contract.md, Leads; Requests). Assignees are told, except the actor,
 * unless it is made quietly. A
 * private lead without assignees gets the acting member. A note is the lead's first one. An external
 * id that another lead has is refused: conflict.
 */
export const createLead = (
  actor: Acting,
  body: NewLead,
  { assigneeIds = [], nextTouch = null }: ByPeople = {},
  how: 'quietly' | 'telling' = 'telling',
) =>
  writeNew(actor, lead, async (w) => {
    const prospect = prospectFrom(body);
    const externalId = trimmed(body.externalId);
    const [area, stages, { numberFormat, timeZone }, defined] = await Promise.all([
      body.practiceAreaId === undefined ? null : practiceAreaFor(w, body.practiceAreaId),
      leadStageList.all(w),
      countOf(w, lead),
      customFieldsOn(w, 'LEAD'),
      checkMembers(w, assigneeIds),
      leadExternalIds.mustBeFree(w, externalId),
    ]);
    const chosen =
      body.leadStageColumnId === undefined ? stages[0] : stageAmong(stages, body.leadStageColumnId);
    if (numberFormat === null) throw notNumbered('lead');
    if (!chosen) throw noStage();
    const customFields = await mergeCustomFields(w, defined, {}, body.customFields);
    const id = newId();
    const step = nextTouch === null ? {} : await withNextTouch(w, id, nextTouch);
    const isPrivate = body.isPrivate ?? false;

    // The registers stay locked from here to the commit, so this comes last. They are locked in the
    // order they are sent, which is the same everywhere.
    const [, contactPlace, place] = await Promise.all([
      holdLeadStage(w, chosen.id),
      allocate(w, contact, isPrivate),
      allocate(w, lead, isPrivate),
    ]);
    const person = storeContact(w, contactPlace, prospect, isPrivate);
    const number = await numberFor(w, 'lead', place, timeZone);
    const searchText = searchTextWith(searchTextOf([searchTextOfNumber(number)]), [
      person.searchText,
    ]);
    const made = {
      firmId: w.firmId,
      id,
      ordinal: place.ordinal,
      number,
      status: 'ACTIVE' as const,
      value: body.value ?? null,
      isPrivate,
      customFields,
      ...(externalId !== null && { externalId }),
      leadStageId: chosen.id,
      contactId: person.id,
      practiceAreaId: area?.id ?? null,
      cameThroughApi: w.author.keyId !== null,
      searchText,
      ...step,
      createdAt: place.at,
      updatedAt: place.at,
    };
    const assignee = isPrivate && assigneeIds.length === 0 ? w.memberId : null;
    w.create(lead, made, { assignee, assignees: assigneeIds });
    storeAssignees(w, made.id, assignee ? [assignee] : assigneeIds);
    if (how === 'telling') tellAssignedLater(w, made.id, assigneeIds);
    const note = trimmed(body.note);
    if (note) await storeNote(w, { about: 'lead', recordId: made.id }, note, place.at);
    if (made.cameThroughApi) announceLater(w, made.id);
    return viewLeadFull(
      { ...made, contactName: person.name, practiceAreaName: area?.name ?? null },
      defined,
    );
  }).catch(leadExternalIds.refuseTaken(actor, body.externalId));

/** What people say of a lead, and programs cannot: whose it is, and its next step. */
export type ByPeople = { assigneeIds?: string[]; nextTouch?: string | null | undefined };

const prospectFrom = (body: NewLead) => {
  const email = trimmed(body.email);
  const phone = trimmed(body.phone);
  return {
    name: mergeName(body),
    emails: emailsFrom(email ? [email] : []),
    phones: phonesFrom(phone ? [phone] : []),
    customFields: {},
  };
};

const noStage = () =>
  invalid(
    'The firm has no lead stage. Send leadStageColumnId, or have an owner add a stage first.',
  );

/**
 * Changes the fields sent. A person's change answers a next step that was due. An Undo of a move gives back since when the lead
 * was in its stage. Throws `Refusal` not_found for the lead or a reference, conflict if the lead has lost its contact,
 * invalid_custom_field.
 */
export const updateLead = (
  actor: Acting,
  id: string,
  body: LeadChange,
  { nextTouch, isUndo }: Pick<ByPeople, 'nextTouch'> & { isUndo?: boolean } = {},
) =>
  write(actor, async (w) => {
    if (body.isPrivate !== undefined) holdContactOf(w, id);
    const [stored, stages, defined, now] = await Promise.all([
      leadForChange(w, id),
      body.leadStageColumnId === undefined ? [] : leadStageList.all(w),
      customFieldsOn(w, 'LEAD'),
      w.now(),
    ]);
    if (!stored) throw notFound();
    const area = await areaAfter(w, stored, body.practiceAreaId);
    const leadStageId =
      body.leadStageColumnId === undefined
        ? stored.leadStageId
        : stageAmong(stages, body.leadStageColumnId).id;
    if (stored.contactName === null) throw contactLost();
    const changed = {
      ...stored,
      ...area,
      leadStageId,
      value: body.value === undefined ? stored.value : body.value,
      isPrivate: body.isPrivate ?? stored.isPrivate,
      customFields: await mergeCustomFields(w, defined, stored.customFields, body.customFields),
      updatedAt: now,
    };
    const step =
      nextTouch === undefined || nextTouch === stored.nextTouch
        ? await touchedIfChanged(w, stored, changed, now)
        : await withNextTouch(w, id, nextTouch);
    const way = { recordId: id, from: stored.leadStageId, to: leadStageId };
    const isMoved = way.from !== way.to;
    if (isMoved) await holdLeadStage(w, leadStageId);
    const isForgotten = isMoved && isUndo && (await forgetMove(w, way));
    const becomesPrivate = changed.isPrivate && !stored.isPrivate;
    const also = becomesPrivate ? await keepInSight(w, id) : {};
    const { contactName, practiceAreaName, ...fields } = { ...changed, ...step };
    if (!w.update(lead, stored, fields, also)) return viewLeadFull(stored, defined);
    if (isMoved && !isForgotten) {
      const move = { fromStageId: stored.leadStageId, toStageId: leadStageId, at: now };
      void w.run(storeMove, { firmId: w.firmId, id: newId(), leadId: id, ...move });
    }
    if (changed.isPrivate !== stored.isPrivate) {
      await followLead(w, stored.contactId, changed.isPrivate);
      countPrivacy(w, lead, stored.ordinal, changed.isPrivate);
    }
    return viewLeadFull(changed, defined);
  });

const forgetMove = forgetsMove({ table: 'lead_move', recordId: 'lead_id', stage: 'leadStageId' });

type Move = typeof leadMove.$inferInsert;

const storeMove = statement(({ firmId, id, leadId, fromStageId, toStageId, at }: Given<Move>) =>
  query.insert(leadMove).values({ firmId, id, leadId, fromStageId, toStageId, at }),
);

/**
 * The call would hide the lead from the caller, who would still receive a record that a read would
 * refuse. So they become its assignee. Returns what the audit log says of it.
 */
const keepInSight = async (w: Write, leadId: string): Promise<Changes> => {
  const { firmId, memberId } = w;
  if (memberId === null) return {};
  const assigned = await w.first(assignOnce, { firmId, leadId, memberId });
  return assigned ? { assignee: { before: null, after: memberId } } : {};
};

const assignOnce = statement(
  ({ firmId, leadId, memberId }: Given<'firmId' | 'leadId' | 'memberId'>) =>
    query
      .insert(leadAssignee)
      .values({ firmId, leadId, memberId })
      .onConflictDoNothing()
      .returning({ memberId: leadAssignee.memberId }),
);

type StoredLead = NonNullable<Awaited<ReturnType<typeof leadForChange>>>;

const areaAfter = async (w: Write, stored: StoredLead, sent: string | null | undefined) => {
  const { practiceAreaId, practiceAreaName } = stored;
  if (sent === undefined || sent === practiceAreaId) return { practiceAreaId, practiceAreaName };
  if (sent === null) return { practiceAreaId: null, practiceAreaName: null };
  const area = await practiceAreaFor(w, sent);
  return { practiceAreaId: area.id, practiceAreaName: area.name };
};

const contactLost = () =>
  new Refusal(
    'conflict',
    'The contact of this lead was deleted, so the lead can no longer be changed.',
  );

/** Takes a lead out of the pipeline. Its contact stays. Throws `Refusal` not_found. */
export const removeLead = (actor: Acting, id: string) =>
  write(actor, async (w) => {
    const [stored, now] = await Promise.all([leadForChange(w, id), w.now()]);
    if (!stored) throw notFound();
    countRemoved(w, lead, stored.ordinal, stored.isPrivate);
    w.remove(lead, stored, now);
  });
