/** Date rules of a firm, and the dates that they give a matter, through the application's forms. */
import type postgres from 'postgres';
import type { memberBrowser } from './app.ts';
import { attributesIn, partsIn, textsIn } from './html.ts';

type Browser = Awaited<ReturnType<typeof memberBrowser>>;

/** Makes these rules. Returns their ids, by their names. */
export const makeRules = async (
  { send }: Browser,
  rules: readonly ({ name: string } & Record<string, string>)[],
): Promise<Record<string, string>> => {
  const ids: Record<string, string> = {};
  for (const rule of rules) {
    const { location } = await send('/settings/date-rules', rule);
    ids[rule.name] = location?.split('/').at(-1) ?? '';
  }
  return ids;
};

/** Has a rule of the firm have made a task with a day, or an event of a whole day: it waits for a second person. */
export const makeWait = async (sql: postgres.Sql, firm: { id: string }, id: string) => {
  const [rule] = await sql`
    insert into date_rule (firm_id, id, name, trigger, amount, unit, rolling, makes, needs_confirmation,
      created_at, updated_at)
    values (${firm.id}, gen_random_uuid(), ${id}, 'limitation', -4, 'weeks', 'none', 'task', true,
      moment(), moment()) returning id`;
  await sql`
    insert into ruled_date (firm_id, id, rule_id, matter_id, task_id, event_id, counted_from, day, created_at)
    select firm_id, gen_random_uuid(), ${String(rule?.id)}, matter_id, task_id, event_id, day + 28, day, moment()
    from (select firm_id, matter_id, id as task_id, null::uuid as event_id, due_on as day from task
      union all select firm_id, matter_id, null, id, first_day from calendar_event) as made
    where firm_id = ${firm.id} and coalesce(task_id, event_id) = ${id}`;
};

/** Adds all dates that the rules give a matter, as its page offers them. */
export const addRuledDates = async ({ get, send }: Browser, matter: string, assigneeId = '') => {
  const path = `/matters/${matter}/rules`;
  const values = attributesIn((await get(path)).text, 'main input[name=rule]', 'value');
  await send(path, [
    ...values.map((value): [string, string] => ['rule', value]),
    ['assigneeId', assigneeId],
  ]);
};

/** What a matter's page offers to add by rule: the boxes' values and arithmetic, and what is said of the other rules. */
export const offeredDates = async ({ get }: Browser, matterPath: string) => {
  const { text } = await get(`${matterPath}/rules`);
  return {
    values: attributesIn(text, 'main input[name=rule]', 'value'),
    hints: textsIn(text, 'main .check .hint'),
    others: textsIn(text, 'main ul.plain li'),
  };
};

/** What a matter's page asks because a trigger moved: titles, lines, and the fields of the first question. */
export const askedMoves = async ({ get }: Browser, matterPath: string) => {
  const { text } = await get(matterPath);
  const hidden = partsIn(text, '.moved form')[0]?.querySelectorAll('input') ?? [];
  return {
    titles: textsIn(text, '.moved h2'),
    lines: textsIn(text, '.moved li'),
    fields: hidden.map((one): [string, string] => [
      one.getAttribute('name') ?? '',
      one.getAttribute('value') ?? '',
    ]),
  };
};
