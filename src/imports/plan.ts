/** How a file is read: what each column fills, and what of the firm its words may name. */
import { type CustomField, customFieldsOn } from '../custom-fields/custom-field.ts';
import { listMembers } from '../firm/member.ts';
import { listLeadStages } from '../leads/stages.ts';
import { allMatterTypes } from '../matter-types/matter-type.ts';
import { allPracticeAreas } from '../practice-areas/list.ts';
import type { Reader } from '../record/actor.ts';
import type { DayOrder } from './cells.ts';
import { fieldOf, fillsTogether, newField, targetsFor } from './columns.ts';
import type { Separator } from './file.ts';
import type { ImportedKind } from './table.ts';

/** How a file is read, as it is stored. */
export type Mapping = {
  separator: Separator;
  dayOrder: DayOrder;
  heads: string[];
  /** What each column fills; null where it is left out. */
  columns: (string | null)[];
  /** The practice area of matters whose row names none. */
  practiceAreaId: string | null;
  /** Whether the rows were checked by these settings. */
  isChecked: boolean;
  /** When the import was begun, and its undo: ISO 8601. */
  begunAt: string | null;
  undoBegunAt: string | null;
};

/** The kinds of custom field's holder, by what a file holds. */
export const holders = { contact: 'CONTACT', lead: 'LEAD', matter: 'MATTER' } as const;

/** What of the firm the words in a file may name. */
export type Office = {
  defined: CustomField[];
  areas: Awaited<ReturnType<typeof allPracticeAreas>>;
  types: Awaited<ReturnType<typeof allMatterTypes>>;
  leadStages: Awaited<ReturnType<typeof listLeadStages>>;
  members: Awaited<ReturnType<typeof listMembers>>;
};

/** Reads what the words of a file of this kind may name. */
export const officeOf = async (reader: Reader, kind: ImportedKind): Promise<Office> => {
  const isMatter = kind === 'matter';
  const [defined, areas, types, leadStages, members] = await Promise.all([
    customFieldsOn(reader, holders[kind]),
    kind === 'contact' ? [] : allPracticeAreas(reader),
    isMatter ? allMatterTypes(reader) : [],
    kind === 'lead' ? listLeadStages(reader) : [],
    isMatter ? listMembers(reader) : [],
  ]);
  return { defined, areas, types, leadStages, members };
};

/** All that rows are judged by. */
export type Plan = {
  kind: ImportedKind;
  mapping: Mapping;
  office: Office;
  /** The day, in the firm's time zone, that stands in where a matter's row has no day of opening. */
  today: string;
  /** What a column fills, as people call it: by the field's name in the shapes. */
  labelOf(field: string): string | undefined;
};

/** Makes a plan. Columns that are to become custom fields count as fields already. */
export const planOf = (
  kind: ImportedKind,
  mapping: Mapping,
  office: Office,
  today: string,
): Plan => {
  const defined = [...office.defined, ...fieldsToCome(kind, mapping)];
  const labels = new Map(targetsFor(kind, office.defined).map(({ key, label }) => [key, label]));
  return {
    kind,
    mapping,
    today,
    office: { ...office, defined },
    labelOf: (field) => labels.get(field.replace(/\[\d+\].*$/, '')),
  };
};

const fieldsToCome = (kind: ImportedKind, { heads, columns }: Mapping): CustomField[] =>
  columns.flatMap((key, at) => {
    if (key !== newField) return [];
    const named = { id: `${newField}:${at}`, name: heads[at] ?? '', appliesTo: holders[kind] };
    const plain = { type: 'TEXT' as const, options: [], position: at, createdAt: new Date(0) };
    return [{ firmId: '', ...named, ...plain }];
  });

/** What a row says, by target: the texts of its cells that are not empty. */
export type Said = {
  /** The text under a target; undefined for none. */
  one(key: string): string | undefined;
  all(key: string): string[];
  /** Each custom field that the row fills, with its text. */
  fields: { field: CustomField; text: string }[];
};

/** Reads a row's cells by the plan. */
export const saidBy = (plan: Plan, cells: readonly string[], textOf: (cell?: string) => string) => {
  const said = new Map<string, string[]>();
  const fields: Said['fields'] = [];
  for (const [at, key] of plan.mapping.columns.entries()) {
    const text = key === null ? '' : textOf(cells[at]);
    if (key === null || text === '') continue;
    const { defined } = plan.office;
    const own = key === newField ? `${newField}:${at}` : undefined;
    const field = own ? defined.find(({ id }) => id === own) : fieldOf(key, defined);
    if (field) fields.push({ field, text });
    else said.set(key, fillsTogether(key) ? [...(said.get(key) ?? []), text] : [text]);
  }
  const all = (key: string) => said.get(key) ?? [];
  return { one: (key: string) => all(key)[0], all, fields };
};
