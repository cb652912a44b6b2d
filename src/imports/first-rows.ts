import { dayIn } from '../base/calendar-date.ts';
import type { Reader } from '../record/actor.ts';
import { type FileRow, firstRows } from './file.ts';
import { judge, type Verdict } from './judge.ts';
import { firmListsOf, type Plan, planOf } from './plan.ts';
import { contentOf, type Import, timeZoneOf } from './stored.ts';

const shownRows = 5;

/** The first rows of a file, each with what would happen to it now. Nothing is stored. */
export const firstJudged = async (
  reader: Reader,
  { id, kind, mapping, createdAt }: Import,
): Promise<{ plan: Plan; rows: (FileRow & { verdict: Verdict | undefined })[] }> => {
  const [content, firmLists, timeZone] = await Promise.all([
    contentOf(reader, id),
    firmListsOf(reader, kind),
    timeZoneOf(reader),
  ]);
  const plan = planOf(kind, mapping, firmLists, dayIn(createdAt, timeZone));
  const rows = (await firstRows(content, mapping.separator)).slice(0, shownRows);
  const verdicts = await judge(reader, plan, rows);
  return { plan, rows: rows.map((row, at) => ({ ...row, verdict: verdicts[at] })) };
};
