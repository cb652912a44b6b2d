/** Date rules of a firm, and the dates that they give a matter, through the application's forms. */
import type { memberBrowser } from './app.ts';
import { attributesIn } from './html.ts';

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

/** Adds all dates that the rules give a matter, as its page offers them. */
export const addRuledDates = async ({ get, send }: Browser, matter: string, assigneeId = '') => {
  const path = `/matters/${matter}/rules`;
  const values = attributesIn((await get(path)).text, 'main input[name=rule]', 'value');
  await send(path, [
    ...values.map((value): [string, string] => ['rule', value]),
    ['assigneeId', assigneeId],
  ]);
};
