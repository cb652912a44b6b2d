/** Custom fields of type CONTACT that name a contact. */
import { sql } from 'drizzle-orm';
import { contact } from '../contacts/table.ts';
import { customFieldsOn } from '../custom-fields/custom-field.ts';
import { lead } from '../leads/table.ts';
import { matter } from '../matters/table.ts';
import { type Given, statement } from '../postgres/statement.ts';
import type { Reader } from '../record/actor.ts';
import type { Write } from '../record/write.ts';
import { canSeeContact, canSeeLead, type Viewer, viewerOf } from '../visibility/visibility.ts';

/** A record whose field names a contact. */
export type Link = {
  kind: 'contact' | 'lead' | 'matter';
  id: string;
  fieldId: string;
  isHidden: boolean;
};

const tables = { contact, lead, matter };
const holders = { contact: 'CONTACT', lead: 'LEAD', matter: 'MATTER' } as const;
const sights = {
  contact: (given: Given<Viewer>) => canSeeContact(given),
  lead: (given: Given<Viewer>) => canSeeLead(given),
  matter: () => sql`true`,
};

/** All fields that name a contact, of records that are not deleted. */
export const linksTo = async (reader: Reader, contactId: string): Promise<Link[]> => {
  const kinds = ['contact', 'lead', 'matter'] as const;
  const found = await Promise.all(
    kinds.map(async (kind) => {
      const defined = await customFieldsOn(reader, holders[kind]);
      const fieldIds = defined.filter(({ type }) => type === 'CONTACT').map(({ id }) => id);
      if (fieldIds.length === 0) return [];
      return reader.run(linksIn[kind], { ...viewerOf(reader), contactId, fieldIds });
    }),
  );
  return found.flat();
};

type LinkQuery = Given<Viewer & { contactId: string; fieldIds: string[] }>;

const linksFor = (kind: Link['kind']) =>
  statement(
    (given: LinkQuery) => sql<Link>`
      select ${sql.raw(`'${kind}'`)} as kind, ${sql.identifier(kind)}.id::text as id,
        field.id as "fieldId", not coalesce(${sights[kind](given)}, false) as "isHidden"
      from ${sql.identifier(kind)}
      join unnest(${given.fieldIds}::text[]) as field (id)
        on ${sql.identifier(kind)}.custom_fields ->> field.id = ${given.contactId}
      where ${sql.identifier(kind)}.firm_id = ${given.firmId}::uuid
        and ${sql.identifier(kind)}.deleted_at is null
      order by 2`,
  );

const linksIn = {
  contact: linksFor('contact'),
  lead: linksFor('lead'),
  matter: linksFor('matter'),
};

/** Makes these fields name the contact `to` instead of `from`. */
export const changeLinks = (w: Write, links: readonly Link[], from: string, to: string) => {
  for (const { kind, id, fieldId } of links) {
    void w.run(setLink[kind], { firmId: w.firmId, id, fieldId, to });
    w.record('update', tables[kind], id, {
      [`customFields.${fieldId}`]: { before: from, after: to },
    });
  }
};

const setFor = (kind: Link['kind']) =>
  statement(
    ({ firmId, id, fieldId, to }: Given<'firmId' | 'id' | 'fieldId' | 'to'>) => sql`
      update ${sql.identifier(kind)} set updated_at = moment(),
        custom_fields = custom_fields || jsonb_build_object(${fieldId}::text, ${to}::text)
      where firm_id = ${firmId}::uuid and id = ${id}::uuid`,
  );

const setLink = { contact: setFor('contact'), lead: setFor('lead'), matter: setFor('matter') };
