// Strings are read as a whole, so that no brace within one counts.
const tokens = /"[^"\\]*(?:\\.[^"\\]*)*"|[{}[\],:]/gs;

type Level = { path: string; keys?: Set<string>; key: string; index: number };

/** The path of a field within an object: `team[0].role`. */
export const pathWithin = (path: string, key: string): string => (path ? `${path}.${key}` : key);

/**
 * The paths of the keys that a JSON text has more than once in the same object, each once, at most
 * `max`. The text is known to be JSON.
 */
export const keysSentTwice = (text: string, max: number): string[] => {
  const found = new Set<string>();
  const levels: Level[] = [];
  let word = '';
  const inner = (): string => {
    const level = levels.at(-1);
    if (!level) return '';
    return level.keys ? pathWithin(level.path, level.key) : `${level.path}[${level.index}]`;
  };
  for (const [token] of text.matchAll(tokens)) {
    const level = levels.at(-1);
    if (token === '{') levels.push({ path: inner(), keys: new Set(), key: '', index: 0 });
    else if (token === '[') levels.push({ path: inner(), key: '', index: 0 });
    else if (token === '}' || token === ']') levels.pop();
    else if (token === ',' && level) level.index += 1;
    else if (token === ':' && level?.keys) {
      level.key = JSON.parse(word);
      if (level.keys.has(level.key)) found.add(inner());
      level.keys.add(level.key);
      if (found.size === max) break;
    } else word = token;
  }
  return [...found];
};

/** A JSON value as text, the keys of each object in one order: equal for values that differ in nothing else. */
export const inOneOrder = (value: unknown): string => {
  if (typeof value !== 'object' || value === null) return JSON.stringify(value);
  if (Array.isArray(value)) return `[${value.map(inOneOrder).join()}]`;
  const fields = Object.keys(value).sort();
  return `{${fields.map((key) => `${JSON.stringify(key)}:${inOneOrder(value[key as never])}`).join()}}`;
};
