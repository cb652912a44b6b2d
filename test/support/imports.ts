/** Imports files through the application's pages, as a browser without a script does it. */

import { expect } from 'bun:test';
import { attributeIn, partsIn, textIn } from './html.ts';
import { until } from './until.ts';
import type { Visitor } from './visitor.ts';

/** What a page of an import says of its rows. */
export type Said = { made: number; known: number; refused: number };

const figure = (text: string, names: string[]) => {
  const found = partsIn(text, 'dt').find((term) => names.includes(term.text))?.nextElementSibling;
  return found ? Number(found.text.replaceAll(',', '')) : -1;
};

/** The figures that an import's page shows, of its preview or of its result. */
export const saidBy = (text: string): Said => ({
  made: figure(text, ['Will be created', 'Created']),
  known: figure(text, ['Exists already']),
  refused: figure(text, ['Will be skipped', 'Skipped']),
});

/** The refused rows that an import's page lists, with why. */
export const refusedIn = (text: string): [row: string, why: string][] =>
  partsIn(text, 'li:has(> span.grow)').flatMap((line): [string, string][] => {
    const [row, why] = [textIn(line, '.muted.nowrap'), textIn(line, '.grow')];
    return row.startsWith('Row ') && why !== 'An earlier row of the file'
      ? [[row.slice('Row '.length), why]]
      : [];
  });

/** Uploads a file; returns the address of its import. */
export const uploadCsv = async (
  visitor: Visitor,
  kind: string,
  content: string | Uint8Array<ArrayBuffer>,
  name = 'people.csv',
) => {
  const file = new File([content], name, { type: 'text/csv' });
  const answer = await visitor.upload('/settings/imports', { kind }, file);
  expect(answer.status).toBe(303);
  return answer.location ?? '';
};

/** The columns' form as the page offers it: its guesses, and what else was chosen. */
export const formOf = async (visitor: Visitor, path: string): Promise<Record<string, string>> => {
  const { text } = await visitor.get(`${path}?step=columns`);
  return Object.fromEntries(
    partsIn(text, 'select[name]').map((select) => [
      select.getAttribute('name') ?? '',
      attributeIn(select, 'option[selected]', 'value'),
    ]),
  );
};

/** Has the rows checked by the guessed columns and those given; returns the preview. */
export const checkRows = async (
  visitor: Visitor,
  path: string,
  other: Record<string, string> = {},
) => {
  const fields = { ...(await formOf(visitor, path)), ...other };
  const answer = await visitor.post(`${path}/columns`, fields);
  expect(textIn(answer.text, '[role=alert]')).toBe('');
  expect(answer.status).toBe(303);
  return (await visitor.get(path)).text;
};

/** Begins an import, and waits for its end; returns the page of its result. */
export const bringIn = async (visitor: Visitor, path: string) => {
  expect((await visitor.post(`${path}/begin`)).status).toBe(303);
  return untilSaid(visitor, path, 'Imported.');
};

/** Waits until an import's page says so. */
export const untilSaid = async (visitor: Visitor, path: string, words: string) => {
  let said = '';
  await until(async () => {
    said = (await visitor.get(path)).text;
    return said.includes(words);
  });
  return said;
};
