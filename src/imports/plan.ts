/** How a file is read: the field of each column, and the firm's names that cells can contain. */
import { type CustomField, customFieldsOn } from '../custom-fields/custom-field.ts';
import { listMembers } from '../firm/member.ts';
import { leadStageList } from '../leads/stages.ts';
import { allMatterTypes } from '../matter-types/matter-type.ts';
import { allPracticeAreas } from '../practice-areas/list.ts';
import type { Reader } from '../record/actor.ts';
import { fieldOf, fillsTogether, newField, targetsFor } from './columns.ts';
import type { Mapping } from './state.ts';
import type { ImportedKind } from './table.ts';

/** The records that have a file's custom fields, by the kind of its rows. */
export const holders = { contact: 'CONTACT', lead: 'LEAD', matter: 'MATTER' } as const;

/** The records of the firm that a file's cells can name. */
export type FirmLists = {
  defined: CustomField[];
  areas: Awaited<ReturnType<typeof allPracticeAreas>>;
  types: Awaited<ReturnType<typeof allMatterTypes>>;
  leadStages: Awaited<ReturnType<typeof leadStageList.all>>;
  members: Awaited<ReturnType<typeof listMembers>>;
};

/** Reads the records that a file of this kind can name. */
export const firmListsOf = async (reader: Reader, kind: ImportedKind): Promise<FirmLists> => {
  const isMatter = kind === 'matter';
  const [defined, areas, types, leadStages, members] = await Promise.all([
    customFieldsOn(reader, holders[kind]),
    kind === 'contact' ? [] : allPracticeAreas(reader),
    isMatter ? allMatterTypes(reader) : [],
    kind === 'lead' ? leadStageList.all(reader) : [],
    kind === 'contact' ? [] : listMembers(reader),
  ]);
  return { defined, areas, types, leadStages, members };
};

/** Everything that is needed to judge rows. */
export type Plan = {
  kind: ImportedKind;
  mapping: Mapping;
  firmLists: FirmLists;
  /** The firm's day of the upload, for matters whose row has no day of opening. */
  today: string;
  /** What each column fills; undefined if it is left out. Asked once, not for each cell. */
  fills: ({ key: string; field: CustomField | undefined } | undefined)[];
  /** The names of fields in the file's words, by their names in the API. */
  labelOf(field: string): string | undefined;
};

/** Makes a plan. Columns that will become custom fields already count as fields. */
export const planOf = (
  kind: ImportedKind,
  mapping: Mapping,
  firmLists: FirmLists,
  today: string,
): Plan => {
  const defined = [...firmLists.defined, ...fieldsToCome(kind, mapping)];
  const fills = mapping.columns.map((key, at) => {
    if (key === null) return undefined;
    const own = key === newField ? `${newField}:${at}` : undefined;
    return { key, field: own ? defined.find(({ id }) => id === own) : fieldOf(key, defined) };
  });
  const labels = new Map(targetsFor(kind, firmLists.defined).map(({ key, label }) => [key, label]));
  return {
    kind,
    mapping,
    today,
    fills,
    firmLists: { ...firmLists, defined },
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

/** The texts of a row's cells that are not empty, by the field that they fill. */
export type RowValues = {
  /** The text for a field; undefined if there is none. */
  one(key: string): string | undefined;
  all(key: string): string[];
  /** Each custom field that the row fills, with its text. */
  fields: { field: CustomField; text: string }[];
};

export const rowValues = (
  plan: Plan,
  cells: readonly string[],
  textOf: (cell?: string) => string,
) => {
  const values = new Map<string, string[]>();
  const fields: RowValues['fields'] = [];
  for (const [at, filled] of plan.fills.entries()) {
    const text = filled ? textOf(cells[at]) : '';
    if (!filled || text === '') continue;
    const { key, field } = filled;
    if (field) fields.push({ field, text });
    else values.set(key, fillsTogether(key) ? [...(values.get(key) ?? []), text] : [text]);
  }
  const all = (key: string) => values.get(key) ?? [];
  return { one: (key: string) => all(key)[0], all, fields };
};
