/** Decides what happens to each row. The preview and the import both use it. */
import { openPace } from '../base/pace.ts';
import { type Fault, Refusal } from '../base/refusal.ts';
import { cutName } from '../base/short-text.ts';
import { wordFault } from '../base/wording.ts';
import type { NewContact } from '../contacts/wire.ts';
import type { Reader } from '../record/actor.ts';
import { contactIn, type ImportedLead, leadIn } from './bodies.ts';
import { cellText } from './cells.ts';
import {
  type Duplicates,
  findDuplicates,
  type Like,
  likeOfContact,
  likeOfLead,
  likeOfMatter,
  type Namesake,
  sameName,
} from './duplicates.ts';
import { type FileRow, type Separator, separatorWords } from './file.ts';
import { clientNames, type ImportedMatter, matterIn } from './matters.ts';
import { type Plan, type RowValues, rowValues } from './plan.ts';

/** The body of a row for the verb of its kind. */
export type NewRecord =
  | { kind: 'contact'; body: NewContact }
  | ({ kind: 'lead' } & ImportedLead)
  | ({ kind: 'matter' } & ImportedMatter);

/**
 * What happens to a row: it makes a record, is the same as a record, or is refused. If only the name
 * can be compared, a row with the name of an existing record still makes a new one.
 */
export type Verdict = { row: number } & (
  | { is: 'new'; asked: NewRecord; hasNamesake: boolean }
  | { is: 'same'; asked: NewRecord; recordId: string | null }
  | { is: 'refused'; why: string }
);

type Read = { row: number } & ({ why: string } | { asked: NewRecord; like: Like });

/** Judges rows in order. A row is compared with the firm's records and with the rows before it. */
export const judge = async (
  reader: Reader,
  plan: Plan,
  rows: readonly FileRow[],
): Promise<Verdict[]> => {
  const giveWay = openPace();
  const clientsOf = await clientsIn(reader, plan, rows);
  const read: Read[] = [];
  for (const row of rows) {
    read.push(await readRow(reader, plan, row, clientsOf));
    await giveWay();
  }
  const duplicates = await findDuplicates(
    reader,
    plan.kind,
    read.flatMap((one) => ('like' in one ? [one.like] : [])),
  );
  const verdicts: Verdict[] = [];
  for (const one of read) {
    verdicts.push(verdictOn(one, duplicates));
    await giveWay();
  }
  return verdicts;
};

const verdictOn = (one: Read, duplicates: Duplicates): Verdict => {
  const { row } = one;
  if ('why' in one) return { row, is: 'refused', why: one.why };
  const same = duplicates.find(one.like);
  if (same) return { row, is: 'same', asked: one.asked, recordId: same.recordId };
  const hasNamesake = one.like.marks.length === 0 && duplicates.hasName(one.like);
  duplicates.add(one.like);
  return { row, is: 'new', asked: one.asked, hasNamesake };
};

/** The contacts that the names of clients can mean, looked up for all rows at once. */
const clientsIn = async (reader: Reader, plan: Plan, rows: readonly FileRow[]) => {
  const giveWay = openPace();
  const names = new Set<string>();
  for (const { cells } of plan.kind === 'matter' ? rows : []) {
    for (const name of clientNames(rowValues(plan, cells, cellText)).flat()) names.add(name);
    await giveWay();
  }
  return sameName(reader, [...names]);
};

const readRow = async (
  reader: Reader,
  plan: Plan,
  { row, cells }: FileRow,
  clientsOf: (name: string) => Namesake[],
): Promise<Read> => {
  const { length: columns } = plan.mapping.columns;
  if (cells.slice(columns).some((cell) => cellText(cell) !== '')) {
    return { row, why: tooManyCells(cells.length, columns, plan.mapping.separator) };
  }
  const values = rowValues(plan, cells, cellText);
  try {
    if (plan.kind === 'lead') {
      const asked = await leadIn(reader, plan, values);
      return { row, asked: { kind: 'lead', ...asked }, like: likeOfLead(asked.body) };
    }
    if (plan.kind === 'matter') {
      const asked = await matterIn(reader, plan, values, clientsOf);
      const { body, imported } = asked;
      const { title = '', clientContactIds = [] } = body;
      const like = likeOfMatter(title, imported.formerNumber, clientContactIds);
      return { row, asked: { kind: 'matter', ...asked }, like };
    }
    const body = await contactIn(reader, plan, values);
    return { row, asked: { kind: 'contact', body }, like: likeOfContact(body) };
  } catch (error) {
    return { row, why: whyRefused(plan, error, values) };
  }
};

/** What stands behind the last heading would be lost: most often, a text holds the separator itself. */
const tooManyCells = (cells: number, columns: number, separator: Separator) =>
  `The row has ${cells} cells, and there are ${columns} columns. Put a text that contains ${separatorWords[separator]}s in quotation marks.`;

/** Why a row is refused, in sentences for people, with what the row has. Other errors are thrown again. */
export const whyRefused = (plan: Plan, error: unknown, values?: RowValues): string => {
  if (!(error instanceof Refusal)) throw error;
  const { faults, message } = error;
  if (faults.length === 0) return message;
  return faults
    .map((fault) => wordFault(fault, plan.labelOf(fault.field)) + whatItHas(fault, values))
    .join(' ');
};

/** So many choices are named. */
const maxChoices = 10;

/** The text that is refused, and what could be there instead. */
const whatItHas = ({ field, kind }: Fault, values: RowValues | undefined): string => {
  const own = values?.fields.find((one) => `customFields.${one.field.name}` === field);
  const text = own?.text ?? values?.all(field.replace(/\[\d+\].*$/, '')).join(', ');
  if (!text) return '';
  const words = ` The file has “${cutName(text)}”.`;
  const options = kind?.kind === 'choice' || kind?.kind === 'choices' ? own?.field.options : [];
  if (!options?.length) return words;
  const more = options.length - maxChoices;
  const named = options.slice(0, maxChoices).join(', ');
  return `${words} The choices are ${named}${more > 0 ? ` and ${more} more` : ''}.`;
};
