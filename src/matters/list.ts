import { and, desc, eq, isNull, type SQL, sql } from 'drizzle-orm';
import { notFound } from '../base/refusal.ts';
import { contact } from '../contacts/table.ts';
import { customFieldsOn } from '../custom-fields/custom-field.ts';
import { member } from '../firm/table.ts';
import { type Given, query, shortStatement, statement } from '../postgres/statement.ts';
import { practiceArea, stage } from '../practice-areas/table.ts';
import type { Reader } from '../record/actor.ts';
import type { Heavy, Listed, Page } from '../record/page.ts';
import { atLargestPage, pagesOf } from '../register/position.ts';
import { countOf } from '../register/register.ts';
import { matter, matterClient, matterTeam } from './table.ts';
import { viewMatter, viewMatterFull } from './view.ts';
import type { MatterFull, MatterRow } from './wire.ts';

/**
 * One matter with its custom fields. One with a long description is `Heavy`. Throws `Refusal`
 * not_found.
 */
export const readMatter = async (
  reader: Reader,
  id: string,
): Promise<MatterFull | Heavy<MatterFull>> => {
  const [found, defined] = await Promise.all([
    reader.first(matterById, { firmId: reader.firmId, id }),
    customFieldsOn(reader, 'MATTER'),
  ]);
  if (!found) throw notFound();
  if (!found.isHeavy) return viewMatterFull(found, defined);
  return async () => viewMatterFull(await wholeMatter(reader, id), defined);
};

/**
 * A page of the firm's matters with their clients and teams, newest first. Those with a long
 * description are `Heavy`.
 */
export const listMatters = async (
  reader: Reader,
  page: Page,
): Promise<Listed<MatterRow | Heavy<MatterRow>>> => {
  const [found, { live }] = await Promise.all([matterPage(reader, page), countOf(reader, matter)]);
  const rows = found.map((row) =>
    row.isHeavy ? async () => viewMatter(await wholeMatter(reader, row.id)) : viewMatter(row),
  );
  return { rows, total: live };
};

const wholeMatter = async (reader: Reader, id: string) => {
  const found = await reader.first(wholeMatterById, { firmId: reader.firmId, id });
  if (found) return found;
  throw new Error('A matter that was listed is not stored.');
};

/** A matter locked against changes until the commit. */
export const matterForChange = (reader: Reader, id: string) =>
  reader.first(forChange, { firmId: reader.firmId, id });

const isOfFirm = ({ firmId }: Given<'firmId'>) =>
  and(eq(matter.firmId, firmId), isNull(matter.deletedAt)) as SQL;
const isThisMatter = (given: Given<'firmId' | 'id'>) =>
  and(isOfFirm(given), eq(matter.id, given.id)) as SQL;

const rowColumns = {
  id: matter.id,
  number: matter.number,
  title: matter.title,
  description: matter.description,
  status: matter.status,
  openDate: matter.openDate,
  closeDate: matter.closeDate,
  solDate: matter.solDate,
  practiceAreaId: matter.practiceAreaId,
  stageId: matter.stageId,
  createdAt: matter.createdAt,
  updatedAt: matter.updatedAt,
};

// A hundred of these are read and sent quickly. Postgres knows the length without reading the text.
const longBytes = sql.raw(String(64 * 1024));

/** The same without a long description, because a page of those could exceed the memory. */
const lightColumns = {
  ...rowColumns,
  description: sql<string | null>`case when octet_length(${matter.description}) <= ${longBytes}
    then ${matter.description} end`.as('light_description'),
  isHeavy: sql<boolean>`coalesce(octet_length(${matter.description}) > ${longBytes}, false)`.as(
    'is_heavy',
  ),
};

type Of = Record<'id' | 'practiceAreaId' | 'stageId', unknown>;

/** The names of what a matter refers to, deleted or not: the matter keeps them. */
const namesOf = ({ firmId }: Given<'firmId'>, of: Of) => ({
  practiceAreaName: column<string>(
    'practice_area_name',
    sql`
    select ${practiceArea.name} from ${practiceArea}
    where ${practiceArea.firmId} = ${firmId} and ${practiceArea.id} = ${of.practiceAreaId}`,
  ),
  stageName: column<string>(
    'stage_name',
    sql`
    select ${stage.name} from ${stage}
    where ${stage.firmId} = ${firmId} and ${stage.id} = ${of.stageId}`,
  ),
  clients: column<MatterRow['clients']>(
    'clients',
    sql`
    select coalesce(json_agg(json_build_object('contactId', ${matterClient.contactId}, 'name', ${contact.name},
      'isPrimary', ${matterClient.isPrimary}, 'isBillRecipient', ${matterClient.isBillRecipient})
      order by ${matterClient.position}), '[]')
    from ${matterClient} join ${contact}
      on ${contact.firmId} = ${matterClient.firmId} and ${contact.id} = ${matterClient.contactId}
    where ${matterClient.firmId} = ${firmId} and ${matterClient.matterId} = ${of.id}`,
  ),
  team: column<MatterRow['team']>(
    'team',
    sql`
    select coalesce(json_agg(json_build_object('memberId', ${matterTeam.memberId}, 'role', ${matterTeam.role},
      'allocation', ${matterTeam.allocation}, 'name', ${member.name})
      order by ${matterTeam.position}), '[]')
    from ${matterTeam} join ${member}
      on ${member.firmId} = ${matterTeam.firmId} and ${member.id} = ${matterTeam.memberId}
    where ${matterTeam.firmId} = ${firmId} and ${matterTeam.matterId} = ${of.id}`,
  ),
});

// Wrapped as a part of its own: in a select from one table, Drizzle removes the table names from
// the columns of the outermost part.
const column = <Value>(name: string, subquery: SQL) => sql<Value>`(${subquery})`.as(name);

const matterById = shortStatement((given: Given<'firmId' | 'id'>) =>
  query
    .select({ ...lightColumns, customFields: matter.customFields, ...namesOf(given, matter) })
    .from(matter)
    .where(isThisMatter(given)),
);

// Deleted or not: it may have been deleted since it was found.
const wholeMatterById = statement((given: Given<{ firmId: string; id: string }>) =>
  query
    .select({ ...rowColumns, customFields: matter.customFields, ...namesOf(given, matter) })
    .from(matter)
    .where(and(eq(matter.firmId, given.firmId), eq(matter.id, given.id))),
);

const forChange = statement((given: Given<'firmId' | 'id'>) =>
  query
    .select({
      ...rowColumns,
      firmId: matter.firmId,
      ordinal: matter.ordinal,
      timesArchived: matter.timesArchived,
      limitationMetOn: matter.limitationMetOn,
      limitationMetById: matter.limitationMetById,
      customFields: matter.customFields,
      searchText: matter.searchText,
      matterTypeId: matter.matterTypeId,
      formerNumber: matter.formerNumber,
      ...namesOf(given, matter),
    })
    .from(matter)
    .where(isThisMatter(given))
    .for('update', { of: matter }),
);

// The page is cut before the names are looked up, so that skipped records cost no look-up.
const matterPage = pagesOf(matter, isOfFirm, (inPage, given) => {
  const page = query
    .select({ ...lightColumns, ordinal: matter.ordinal })
    .from(matter)
    .where(inPage)
    .orderBy(desc(matter.ordinal))
    .limit(atLargestPage)
    .as('page');
  const { ordinal, ...columns } = page._.selectedFields;
  return query
    .select({ ...columns, ...namesOf(given, columns) })
    .from(page)
    .orderBy(desc(ordinal))
    .limit(given.limit);
});
