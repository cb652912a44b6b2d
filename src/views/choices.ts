import { type Placeholder, type SQL, sql } from 'drizzle-orm';
import type { DefinedField } from '../custom-fields/custom-field.ts';
import type { CustomFieldHolder } from '../custom-fields/table.ts';
import { awayUntil } from '../firm/member.ts';
import { member, role } from '../firm/table.ts';
import { leadStage, notHiredReason } from '../leads/table.ts';
import { type Given, shortStatement } from '../postgres/statement.ts';
import type { Reader } from '../record/actor.ts';
import type { ListName } from './table.ts';
import type { View } from './view.ts';

type Choice = { id: string; name: string };

/** A member, and the last day away of one who is away today. */
type Person = Choice & { awayUntil: string | null };

/** The custom fields of a list's records; and the reader's own views of it and the firm's, by name. */
export type ListChoices = { fields: DefinedField[]; views: View[] };

/** What leads can be filtered by; nothing that was removed. */
export type LeadChoices = ListChoices & {
  areas: Choice[];
  /** Without those who are deactivated. */
  members: Person[];
  leadStages: Choice[];
  notHiredReasons: Choice[];
  /** The id of the custom field that the firm counts its leads by; null if it chose none. */
  sourceFieldId: string | null;
};

export type MatterChoices = ListChoices & {
  areas: (Choice & { expectsLimitationDate: boolean; stages: Choice[]; types: Choice[] })[];
  members: Person[];
  /** The ids of those whose role may change matters. */
  workers: string[];
};

/** What a lead's page offers: what a list of leads does, and what the matter of a hire can be given. */
export type LeadPageChoices = Omit<LeadChoices, 'areas'> &
  Omit<MatterChoices, keyof ListChoices> & {
    fieldsOfMatters: DefinedField[];
    fieldsOfContacts: DefinedField[];
  };

/** What a list of leads offers to choose from, each in its order, in one round trip. */
export const leadChoicesOf = (reader: Reader): Promise<LeadChoices> =>
  ofFirm(reader.first(leadChoices, readerOf(reader)));

/** The same for a lead's page, with what a hire is asked. */
export const leadPageChoicesOf = (reader: Reader): Promise<LeadPageChoices> =>
  ofFirm(reader.first(leadPageChoices, readerOf(reader)));

/** What a list of matters offers to choose from, each in its order, in one round trip. */
export const matterChoicesOf = (reader: Reader): Promise<MatterChoices> =>
  ofFirm(reader.first(matterChoices, readerOf(reader)));

/** What a list of contacts offers to choose from. */
export const contactChoicesOf = (reader: Reader): Promise<ListChoices> =>
  ofFirm(reader.first(contactChoices, readerOf(reader)));

const readerOf = ({ firmId, memberId }: Reader) => ({ firmId, memberId });

const ofFirm = async <Row>(reading: Promise<Row | undefined>): Promise<Row> => {
  const found = await reading;
  if (!found) throw new Error('The firm of the reader is not stored.');
  return found;
};

const listOf = (rows: SQL) => sql`coalesce(${rows}, '[]')`;

const membersOf = (firmId: Placeholder) =>
  listOf(sql`(select json_agg(json_build_object('id', member.id, 'name', member.name,
        'awayUntil', ${awayUntil(firmId)})
      order by member.created_at, member.id)
    from ${member} where member.firm_id = ${firmId} and member.deactivated_at is null)`);

type Own = Given<Pick<Reader, 'firmId' | 'memberId'>>;

const fieldsOn = (firmId: Placeholder, holder: CustomFieldHolder) =>
  listOf(sql`(select json_agg(json_build_object('id', field.id, 'name', field.name,
        'type', field.type, 'options', field.options) order by field.position, field.id)
      from custom_field field where field.firm_id = ${firmId}
        and field.applies_to = ${sql.raw(`'${holder}'`)})`);

const ofList = ({ firmId, memberId }: Own, holder: CustomFieldHolder, list: ListName) => sql`
  ${fieldsOn(firmId, holder)} as fields,
  ${listOf(sql`(select json_agg(json_build_object('id', saved.id, 'name', saved.name, 'query', saved.query,
        'memberId', saved.member_id, 'isShared', saved.is_shared) order by saved.name, saved.id)
      from saved_view saved where saved.firm_id = ${firmId} and saved.list = ${sql.raw(`'${list}'`)}
        and (saved.is_shared or saved.member_id = ${memberId}::uuid))`)} as views`;

const contactChoices = shortStatement(
  (own: Own) => sql<ListChoices>`
    select ${ofList(own, 'CONTACT', 'contacts')} from firm where firm.id = ${own.firmId}`,
);

/** What leads are asked, save the area: a hire asks more of it. */
const ofLeads = ({ firmId, memberId }: Own) => sql`
      ${ofList({ firmId, memberId }, 'LEAD', 'leads')}, source_field_id::text as "sourceFieldId", ${membersOf(firmId)} as members,
      ${listOf(sql`(select json_agg(json_build_object('id', ${leadStage.id}, 'name', ${leadStage.name})
          order by ${leadStage.position})
        from ${leadStage} where ${leadStage.firmId} = ${firmId} and ${leadStage.deletedAt} is null)`)}
        as "leadStages",
      ${listOf(sql`(select json_agg(json_build_object('id', ${notHiredReason.id}, 'name', ${notHiredReason.name})
          order by ${notHiredReason.position}, ${notHiredReason.id})
        from ${notHiredReason} where ${notHiredReason.firmId} = ${firmId}
          and ${notHiredReason.deletedAt} is null)`)} as "notHiredReasons"`;

const leadChoices = shortStatement(
  (own: Own) => sql<LeadChoices>`
    select ${ofLeads(own)},
      ${listOf(sql`(select json_agg(json_build_object('id', area.id, 'name', area.name)
          order by area.ordinal)
        from practice_area area where area.firm_id = ${own.firmId} and area.deleted_at is null)`)} as areas
    from firm where firm.id = ${own.firmId}`,
);

/** Who may work on a matter, and the areas with all that one is asked there. */
const ofMatters = (firmId: Placeholder) => sql`
      ${listOf(sql`(select json_agg(${member.id} order by ${member.id})
        from ${member} join ${role} on ${role.firmId} = ${firmId} and ${role.id} = ${member.roleId}
        where ${member.firmId} = ${firmId} and ${member.deactivatedAt} is null
          and (${role.holdsAll} or 'matters:write' = any(${role.permissions})))`)} as workers,
      ${listOf(sql`(select json_agg(json_build_object('id', area.id, 'name', area.name,
          'expectsLimitationDate', area.expects_limitation_date,
          'stages', ${listOf(sql`(select json_agg(json_build_object('id', id, 'name', name) order by position)
            from stage where stage.firm_id = ${firmId} and practice_area_id = area.id
              and deleted_at is null)`)},
          'types', ${listOf(sql`(select json_agg(json_build_object('id', id, 'name', name) order by ordinal)
            from matter_type where matter_type.firm_id = ${firmId} and practice_area_id = area.id
              and deleted_at is null)`)}) order by area.ordinal)
        from practice_area area where area.firm_id = ${firmId} and area.deleted_at is null)`)} as areas`;

const matterChoices = shortStatement(
  ({ firmId, memberId }: Own) => sql<MatterChoices>`
    select ${ofList({ firmId, memberId }, 'MATTER', 'matters')}, ${membersOf(firmId)} as members,
      ${ofMatters(firmId)}
    from firm where firm.id = ${firmId}`,
);

const leadPageChoices = shortStatement(
  (own: Own) => sql<LeadPageChoices>`
    select ${ofLeads(own)}, ${ofMatters(own.firmId)}, ${fieldsOn(own.firmId, 'MATTER')} as "fieldsOfMatters",
      ${fieldsOn(own.firmId, 'CONTACT')} as "fieldsOfContacts"
    from firm where firm.id = ${own.firmId}`,
);
