/** Date rules of a firm, and the dates that they give a matter, through the application's forms. */
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
