/**
 * In a spread database, a table that is joined to rows that were cut before must name its firm once more:
 * the firm's node alone is then asked. One Postgres would read all of the firm's rows for it (Decisions in
 * src/README.md). So the statement's form for a spread database names the firm here, and its author does not.
 * Rows are cut by a limit, by `as materialized`, or by `(firm_id, id) in (select …)`.
 *
 * `firm` is the firm's parameter, `$1`.
 */
export const namingFirmAgain = (text: string, firm: string): string => {
  const cut = cutIn(text);
  const joined = text.replace(
    /((?:"?\w+"?\.)?"?firm_id"?) = "?(\w+)"?\."?firm_id"?/g,
    (pair, own: string, rows: string, at: number) =>
      cut.some(({ name, end }) => name === rows && end < at)
        ? `${pair} and ${own} = ${firm}`
        : pair,
  );
  return joined.replaceAll('(firm_id, id) in (', `firm_id = ${firm} and (firm_id, id) in (`);
};

type Cut = { name: string; end: number };

/** The queries within a statement that give cut rows: `(select …) name`, `name as materialized (select …)`. */
const cutIn = (text: string): Cut[] => {
  const opened: number[] = [];
  const found: Cut[] = [];
  for (const { 0: mark, index } of text.matchAll(/[()]/g)) {
    if (mark === '(') {
      opened.push(index);
      continue;
    }
    const from = opened.pop() ?? 0;
    const inside = text.slice(from + 1, index);
    if (!/^\s*select\b/.test(inside)) continue;
    const [, held] = /(\w+) as materialized $/.exec(text.slice(0, from)) ?? [];
    const [, beside] = /^\s*(?:as )?"?(\w+)"?/.exec(text.slice(index + 1)) ?? [];
    const name = held ?? (/\blimit\b/.test(inside) ? beside : undefined);
    if (name) found.push({ name, end: index });
  }
  return found;
};
