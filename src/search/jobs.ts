import { type SQL, sql } from 'drizzle-orm';
import { calendarEvent } from '../calendar/table.ts';
import type { JobKind } from '../jobs/kind.ts';
import { matter } from '../matters/table.ts';
import { note } from '../notes/table.ts';
import { type Given, statement } from '../postgres/statement.ts';
import { findByText, maxWordsLength, type Written } from '../search-text/written-text.ts';
import { task } from '../tasks/table.ts';

/** At most so many texts are added in one step, which others do not feel. */
const stepTexts = 500;

/** How far it has come: which of `sources`, and behind which id. */
type Progress = { source?: number; after?: string };

/**
 * Has the application's search find a firm's records by what was written before it could, a step at
 * a time. `drizzle/0028_written_texts.sql` begins it.
 */
export const findEarlierTexts: JobKind = {
  kind: 'text_find',
  async work({ firmId, id, payload }, { run }, again) {
    const { source = 0, after = null } = payload as Progress;
    const texts = sources[source];
    if (!texts) return;
    const found = await run(texts, { firmId, after });
    for (const text of found) findByText({ run, firmId }, text);
    const last = found.at(-1)?.id;
    const next = last ? { source, after: last } : { source: source + 1, after: null };
    void run(keepProgress, { firmId, id: String(id), ...next });
    again(0);
  },
};

const keepProgress = statement(
  (given: Given<{ firmId: string; id: string; source: number; after: string | null }>) => sql`
    update job set payload = jsonb_build_object('source', ${given.source}::int, 'after', ${given.after}::text)
    where firm_id = ${given.firmId}::uuid and id = ${given.id}::bigint`,
);

/** The next texts of a table, held so that nobody changes one of them before it is stored. */
const next = (
  table: typeof note | typeof task | typeof calendarEvent | typeof matter,
  columns: SQL,
  isWritten: SQL,
) =>
  statement(
    ({ firmId, after }: Given<{ firmId: string; after: string | null }>) => sql<Written>`
      select ${table.id}, ${columns} from ${table}
      where ${table.firmId} = ${firmId} and ${isWritten}
        and ${table.id} > coalesce(${after}::uuid, '00000000-0000-0000-0000-000000000000')
      order by ${table.id} limit ${sql.raw(String(stepTexts))}
      for share`,
  );

const ofMatter = (source: string, text: SQL) =>
  sql`${sql.raw(`'${source}'`)} as source, 'matter' as about, matter_id as "recordId", ${text} as text`;

const sources = [
  next(
    note,
    sql`'note' as source, ${note.about} as about, ${note.recordId} as "recordId", ${note.text}`,
    sql`${note.deletedAt} is null`,
  ),
  next(task, ofMatter('task', sql`${task.title}`), sql`${task.matterId} is not null`),
  next(
    calendarEvent,
    ofMatter('event', sql`${calendarEvent.title}`),
    sql`${calendarEvent.matterId} is not null`,
  ),
  next(
    matter,
    sql`'description' as source, 'matter' as about, ${matter.id} as "recordId",
      left(${matter.description}, ${sql.raw(String(2 * maxWordsLength))}) as text`,
    sql`${matter.description} <> ''`,
  ),
];
