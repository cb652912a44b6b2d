import { sql } from 'drizzle-orm';
import { notFound, Refusal } from '../base/refusal.ts';
import { holdContactOf } from '../contacts/privacy.ts';
import {
  type CustomField,
  customFieldsOn,
  viewCustomFields,
} from '../custom-fields/custom-field.ts';
import { leadForChange } from '../leads/list.ts';
import { tellNextTouch, touched, touchedIfChanged } from '../leads/next-touch.ts';
import { lead } from '../leads/table.ts';
import { createMatter } from '../matters/matter.ts';
import { setTypeAndFormerNumber } from '../matters/type-and-former-number.ts';
import { undoMatter } from '../matters/undo.ts';
import type { NewMatter } from '../matters/wire.ts';
import { type Given, statement } from '../postgres/statement.ts';
import type { Actor, Reader } from '../record/actor.ts';
import { type Acting, write } from '../record/write.ts';
import { takeAlong, takeBack } from './along.ts';

const undoHours = 24;

/**
 * Makes a matter of an ACTIVE lead, which becomes HIRED: both or neither, in one write. Custom fields
 * of the lead go with it (`fieldsThatGo`), and its tasks and events; a value in `body` comes before the lead's.
 * Without a title it has the person's name. `matterTypeId` is the matter's type, if it gets one. Returns the matter.
 * Throws `Refusal` not_found for the lead, conflict for a lead that is not ACTIVE or has lost its contact, and what
 * `createMatter` throws.
 */
export const hireLead = (actor: Acting, leadId: string, body: NewMatter, matterTypeId?: string) =>
  write(actor, async (w) => {
    holdContactOf(w, leadId);
    const [stored, now, ofLeads, ofMatters] = await Promise.all([
      leadForChange(w, leadId),
      w.now(),
      customFieldsOn(w, 'LEAD'),
      customFieldsOn(w, 'MATTER'),
    ]);
    if (!stored) throw notFound();
    if (stored.status === 'HIRED') throw conflict('This lead was hired already.');
    if (stored.status !== 'ACTIVE') {
      throw conflict('Only an active lead can be hired. Reopen this one first.');
    }
    if (stored.contactName === null) {
      throw conflict('The contact of this lead was deleted, so the lead cannot be hired.');
    }
    const ofLead = viewCustomFields(ofLeads, stored.customFields).customFields;
    const customFields = { ...fieldsThatGo(ofLeads, ofMatters, ofLead), ...body.customFields };
    const title = body.title ?? stored.contactName;
    const matter = await createMatter(w, { ...body, title, customFields });
    if (matterTypeId) await setTypeAndFormerNumber(w, matter.id, { matterTypeId });
    const hired = { status: 'HIRED' as const, decidedAt: now, matterId: matter.id };
    w.update(lead, stored, { ...hired, ...touched(w, stored, now), updatedAt: now });
    await takeAlong(w, leadId, matter.id);
    return matter;
  });

/**
 * Undoes a hire: the matter is deleted, and the lead is ACTIVE again and has its tasks and events back. A private lead's contact is
 * hidden with it again. Throws
 * `Refusal` not_found for the lead, and conflict if there is nothing to undo, after `undoHours`, or
 * if somebody has worked on the matter since.
 */
export const undoHire = (actor: Actor, leadId: string) =>
  write(actor, async (w) => {
    holdContactOf(w, leadId);
    const [stored, now] = await Promise.all([leadForChange(w, leadId), w.now()]);
    if (!stored) throw notFound();
    const why = await whyNoUndo(w, stored, now);
    if (why) throw conflict(why);
    const isUndone = stored.matterId !== null && (await undoMatter(w, stored.matterId));
    if (!isUndone)
      throw conflict('The matter of this lead was deleted. Its hire cannot be undone.');
    const undone = { status: 'ACTIVE' as const, decidedAt: null, matterId: null };
    // What fell due meanwhile is not answered by this.
    const isAnswered = stored.nextTouch === null;
    const step = isAnswered ? await touchedIfChanged(w, stored, undone, now) : {};
    w.update(lead, stored, { ...undone, ...step, updatedAt: now });
    await tellNextTouch(w, leadId, { ...stored, ...step });
    if (stored.matterId !== null) await takeBack(w, leadId, stored.matterId);
  });

type Hired = Pick<typeof lead.$inferSelect, 'status' | 'decidedAt' | 'matterId'>;

/** Why the hire of this lead cannot be undone, in a sentence for people; undefined if it can. */
export const whyNoUndo = async (
  reader: Reader,
  { status, decidedAt, matterId }: Hired,
  now: Date,
): Promise<string | undefined> => {
  if (status !== 'HIRED' || !matterId || !decidedAt) return 'This lead is not hired.';
  if (now.getTime() - decidedAt.getTime() > undoHours * 3_600_000) {
    return `A hire can be undone for ${undoHours} hours. After that, the lead stays hired.`;
  }
  const work = await reader.first(workOn, { firmId: reader.firmId, matterId });
  const done = Object.entries(worked).find(([kind]) => work?.[kind as keyof typeof worked]);
  return done && `The hire can no longer be undone: ${done[1]}.`;
};

const worked = {
  changed: 'the matter was changed',
  tasks: 'the matter has a new task',
  events: 'the matter has a calendar event',
  notes: 'the matter has a note',
};

const workOn = statement(
  ({ firmId, matterId }: Given<'firmId' | 'matterId'>) => sql<Record<keyof typeof worked, boolean>>`
    select
      (select count(distinct request_id) > 1 from audit_entry where firm_id = ${firmId} and record_id = ${matterId}) as changed,
      exists (select 1 from task where firm_id = ${firmId} and matter_id = ${matterId} and lead_id is null) as tasks,
      exists (select 1 from calendar_event where firm_id = ${firmId} and matter_id = ${matterId} and lead_id is null) as events,
      exists (select 1 from note where firm_id = ${firmId} and record_id = ${matterId}
        and deleted_at is null) as notes`,
);

const conflict = (sentence: string) => new Refusal('conflict', sentence);

/**
 * A lead's custom field values that go with it into a matter: those of fields that the matter has
 * under the same name and of the same kind, and of choices only those that it offers.
 */
export const fieldsThatGo = (
  ofLeads: readonly Pick<CustomField, 'name' | 'type'>[],
  ofMatters: readonly Pick<CustomField, 'name' | 'type' | 'options'>[],
  values: Readonly<Record<string, unknown>>,
): Record<string, unknown> =>
  Object.fromEntries(
    ofLeads.flatMap(({ name, type }) => {
      const value = values[name] ?? null;
      const taken = ofMatters.find((field) => field.name === name && field.type === type);
      if (value === null || !taken) return [];
      const isOffered =
        !['SELECT', 'MULTI_SELECT'].includes(type) ||
        [value].flat().every((label) => taken.options.includes(String(label)));
      return isOffered ? [[name, value]] : [];
    }),
  );
