import { sql } from 'drizzle-orm';
import { notFound } from '../base/refusal.ts';
import { calendarEvent, eventSeries } from '../calendar/table.ts';
import { customFieldsOn } from '../custom-fields/custom-field.ts';
import { ruledDate } from '../date-rules/table.ts';
import { type Given, statement } from '../postgres/statement.ts';
import { stagesOfArea } from '../practice-areas/list.ts';
import { receipt } from '../receipts/table.ts';
import type { Reader } from '../record/actor.ts';
import { isHeavy } from '../record/page.ts';
import { task } from '../tasks/table.ts';
import { canSeeLead, type Viewer, viewerOf } from '../visibility/visibility.ts';
import { readMatter } from './list.ts';

/**
 * All that a matter's page says of it, beside what the API gives: its type and former number, how its
 * limitation date was met, the stages of its board and since when it is in this one, and the lead that it
 * came from, if the reader may see that. Throws `Refusal` not_found.
 */
export const matterRecord = async (reader: Reader, id: string) => {
  const [read, defined, more] = await Promise.all([
    readMatter(reader, id),
    customFieldsOn(reader, 'MATTER'),
    reader.first(moreOfMatter, { ...viewerOf(reader), id }),
  ]);
  if (!more) throw notFound();
  const [matter, stages] = await Promise.all([
    isHeavy(read) ? read() : read,
    stagesOfArea(reader, more.practiceAreaId),
  ]);
  const { leadId, leadNumber, typeId, typeName, inStageSince, ...also } = more;
  return {
    ...matter,
    ...also,
    defined,
    stages,
    type: typeId === null ? null : { id: typeId, name: typeName ?? '' },
    lead: leadId === null ? null : { id: leadId, number: leadNumber ?? '' },
    inStageSince: new Date(inStageSince),
  };
};

/** What `matterRecord` gives. */
export type MatterRecord = Awaited<ReturnType<typeof matterRecord>>;

type More = {
  practiceAreaId: string;
  expectsLimitationDate: boolean;
  typeId: string | null;
  typeName: string | null;
  formerNumber: string | null;
  limitationMetOn: string | null;
  /** The name of the member who said so. */
  limitationMetBy: string | null;
  inStageSince: string;
  leadId: string | null;
  leadNumber: string | null;
};

const moreOfMatter = statement(
  (given: Given<Viewer & { id: string }>) => sql<More>`
    select matter.practice_area_id::text as "practiceAreaId",
      practice_area.expects_limitation_date as "expectsLimitationDate",
      matter.matter_type_id::text as "typeId", matter_type.name as "typeName",
      matter.former_number as "formerNumber",
      matter.limitation_met_on::text as "limitationMetOn", member.name as "limitationMetBy",
      coalesce((select max(at) from matter_move where matter_move.firm_id = ${given.firmId}
        and matter_move.matter_id = matter.id), matter.created_at) as "inStageSince",
      came.id::text as "leadId", came.number as "leadNumber"
    from matter
    join practice_area on practice_area.firm_id = matter.firm_id
      and practice_area.id = matter.practice_area_id
    left join matter_type on matter_type.firm_id = matter.firm_id
      and matter_type.id = matter.matter_type_id
    left join member on member.firm_id = matter.firm_id and member.id = matter.limitation_met_by_id
    left join lateral (select lead.id, lead.number from lead
      where lead.firm_id = ${given.firmId} and lead.matter_id = matter.id
        and lead.deleted_at is null and ${canSeeLead(given)} limit 1) came on true
    where matter.firm_id = ${given.firmId} and matter.id = ${given.id}
      and matter.deleted_at is null`,
);

/**
 * The ids that a matter's timeline is about: the matter, its newest tasks, events and series of them, its dates by rule,
 * and who has said that they have its limitation date.
 */
export const partsOfMatter = async (reader: Reader, id: string): Promise<string[]> => {
  const rows = await reader.run(parts, { firmId: reader.firmId, id });
  return [id, ...rows.map((row) => row.id)];
};

const maxParts = sql.raw('500');

const parts = statement(
  ({ firmId, id }: Given<'firmId' | 'id'>) => sql<{ id: string }>`
    (select ${task.id}::text as id from ${task}
      where ${task.firmId} = ${firmId} and ${task.matterId} = ${id}
      order by ${task.id} desc limit ${maxParts})
    union all
    (select ${calendarEvent.id}::text from ${calendarEvent}
      where ${calendarEvent.firmId} = ${firmId} and ${calendarEvent.matterId} = ${id}
      order by ${calendarEvent.id} desc limit ${maxParts})
    union all
    (select ${eventSeries.id}::text from ${eventSeries}
      where ${eventSeries.firmId} = ${firmId} and ${eventSeries.matterId} = ${id}
      order by ${eventSeries.id} desc limit ${maxParts})
    union all
    (select ${ruledDate.id}::text from ${ruledDate}
      where ${ruledDate.firmId} = ${firmId} and ${ruledDate.matterId} = ${id}
      order by ${ruledDate.id} desc limit ${maxParts})
    union all
    (select acknowledged.id::text from (
        select ${receipt.id} as id, ${receipt.acknowledgedAt} as at from ${receipt}
          where ${receipt.firmId} = ${firmId} and ${receipt.matterId} = ${id}
        union all
        select ${receipt.id}, ${receipt.acknowledgedAt} from ${task}
          join ${receipt} on ${receipt.firmId} = ${task.firmId} and ${receipt.taskId} = ${task.id}
          where ${task.firmId} = ${firmId} and ${task.matterId} = ${id}
        union all
        select ${receipt.id}, ${receipt.acknowledgedAt} from ${calendarEvent}
          join ${receipt} on ${receipt.firmId} = ${calendarEvent.firmId}
            and ${receipt.eventId} = ${calendarEvent.id}
          where ${calendarEvent.firmId} = ${firmId} and ${calendarEvent.matterId} = ${id}) acknowledged
      where acknowledged.at is not null
      order by acknowledged.at desc limit ${maxParts})`,
);

/** A deleted matter that can be restored. Throws `Refusal` not_found for any other. */
export const readDeletedMatter = async (reader: Reader, id: string) => {
  const found = await reader.first(deletedMatter, { firmId: reader.firmId, id });
  if (!found) throw notFound();
  return found;
};

const deletedMatter = statement(
  ({ firmId, id }: Given<'firmId' | 'id'>) => sql<{ id: string; number: string; title: string }>`
    select id::text as id, number, title from matter
    where firm_id = ${firmId} and id = ${id} and deleted_at is not null`,
);
