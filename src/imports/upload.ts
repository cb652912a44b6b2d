/** Takes a file that a member sends, and stores how its columns are read. */
import { dayIn } from '../base/calendar-date.ts';
import { newId } from '../base/columns.ts';
import { openPace } from '../base/pace.ts';
import { invalid, Refusal } from '../base/refusal.ts';
import { cutName, shortText } from '../base/short-text.ts';
import { type Given, query, statement } from '../postgres/statement.ts';
import type { Actor, Reader } from '../record/actor.ts';
import { type Write, write } from '../record/write.ts';
import { notNumbered, numberFormatOf } from '../register/numbering.ts';
import { type DayOrder, dayOrderIn } from './cells.ts';
import { fillsTogether, guessColumns, newField, targetsFor } from './columns.ts';
import { maxFileBytes, readRows, type Separator, separatorIn, textIn } from './file.ts';
import { judge, type Verdict } from './judge.ts';
import { type FirmLists, firmListsOf, planOf } from './plan.ts';
import { type ImportCounts, isOpen, type Mapping } from './state.ts';
import {
  begunAlready,
  contentOf,
  forgetRows,
  importForChange,
  type Outcome,
  readImport,
  sameAs,
  setMapping,
  storeOutcomes,
  timeZoneOf,
} from './stored.ts';
import { dataImport, type ImportedKind } from './table.ts';

type Upload = { kind: ImportedKind; fileName: string; bytes: Uint8Array };

/**
 * Takes a file, and guesses how to read it. It does not make records yet. Returns the import's id.
 * Throws `Refusal` for a file that is not CSV, or too large.
 */
export const uploadFile = async (actor: Actor, { kind, fileName, bytes }: Upload) => {
  if (bytes.length > maxFileBytes)
    throw invalid('The file is larger than 10 MB. Send it in parts.');
  const giveWay = openPace();
  const content = textIn(bytes);
  await giveWay();
  const separator = await separatorIn(content);
  const mapping = await guessMapping(actor, kind, content, separator);
  return write(actor, async (w) => {
    const now = await w.now();
    const id = newId();
    const name = cutName(fileName) || 'file.csv';
    const stored = { id, kind, memberId: memberOf(w), fileName: name, content, ...mapping };
    void w.run(storeImport, { firmId: w.firmId, ...stored, createdAt: now });
    const made = { kind, fileName: name, rows: mapping.counts.rows };
    w.record('create', dataImport, id, { file: { before: null, after: made } });
    return id;
  });
};

const memberOf = ({ memberId }: Reader) => {
  if (memberId === null) throw new Error('Only a member can import a file.');
  return memberId;
};

const guessMapping = async (
  reader: Reader,
  kind: ImportedKind,
  content: string,
  separator: Separator,
): Promise<{ mapping: Mapping; counts: Partial<ImportCounts> }> => {
  const [{ heads, rows }, { defined, areas }, timeZone] = await Promise.all([
    readRows(content, separator),
    firmListsOf(reader, kind),
    timeZoneOf(reader),
  ]);
  const usual: DayOrder = timeZone.startsWith('America/') ? 'MDY' : 'DMY';
  const mapping: Mapping = {
    separator,
    dayOrder: (await dayOrderIn(rows)) ?? usual,
    heads,
    columns: guessColumns(kind, heads, defined),
    countsBlankRows: true,
    practiceAreaId: (kind === 'matter' && areas[0]?.id) || null,
    isChecked: false,
    begunAt: null,
    undoBegunAt: null,
  };
  return { mapping, counts: { rows: rows.length } };
};

const storeImport = statement((given: Given<typeof dataImport.$inferInsert>) => {
  const { firmId, id, kind, memberId, fileName, content, mapping, counts, createdAt } = given;
  return query
    .insert(dataImport)
    .values({ firmId, id, kind, memberId, fileName, content, mapping, counts, createdAt });
});

/** How a member wants the file to be read. */
export type Choices = Pick<Mapping, 'separator' | 'dayOrder' | 'columns' | 'practiceAreaId'>;

/**
 * Sets how a file is read, and judges all its rows: `counts` has how many would have each outcome.
 * If the separator has changed, it only guesses the columns again. Throws `Refusal` not_found, and
 * conflict if the import has begun.
 */
export const mapFile = async (actor: Actor, id: string, choices: Choices): Promise<void> => {
  const found = await readImport(actor, id);
  if (!isOpen(found.state)) throw begunAlready();
  const content = await contentOf(actor, id);
  if (choices.separator !== found.mapping.separator) {
    const guessed = await guessMapping(actor, found.kind, content, choices.separator);
    return keepMapping(actor, id, { ...guessed, verdicts: [] });
  }
  const firmLists = await firmListsOf(actor, found.kind);
  const mapping = {
    ...found.mapping,
    ...choices,
    countsBlankRows: true as const,
    isChecked: true,
  };
  checkColumns(found.kind, mapping, firmLists);
  await mustBeReady(actor, found.kind, firmLists);
  const today = dayIn(found.createdAt, await timeZoneOf(actor));
  const { rows } = await readRows(content, mapping.separator);
  const plan = planOf(found.kind, mapping, firmLists, today);
  const verdicts = await judge(actor, plan, rows);
  const counts = { rows: rows.length, ...tallied(verdicts) };
  await keepMapping(actor, id, { mapping, counts, verdicts });
};

const tallied = (verdicts: readonly Verdict[]) => {
  const of = (is: Verdict['is']) => verdicts.filter((verdict) => verdict.is === is).length;
  const namesakes = verdicts.filter((one) => one.is === 'new' && one.hasNamesake).length;
  return { new: of('new'), same: of('same'), refused: of('refused'), namesakes };
};

type Kept = { mapping: Mapping; counts: Partial<ImportCounts>; verdicts: Verdict[] };

const keepMapping = (actor: Actor, id: string, { mapping, counts, verdicts }: Kept) =>
  write(actor, async (w) => {
    const stored = await importForChange(w, id);
    if (!isOpen(stored.state)) throw begunAlready();
    setMapping(w, id, mapping, counts);
    forgetRows(w, id);
    storeVerdicts(w, id, verdicts);
    w.record('update', dataImport, id, { checked: { before: null, after: counts } });
  });

const storeVerdicts = (w: Write, id: string, verdicts: readonly Verdict[]) =>
  storeOutcomes(
    w,
    id,
    verdicts.flatMap((verdict): Outcome[] => {
      const { row } = verdict;
      if (verdict.is === 'new') return [];
      return verdict.is === 'same'
        ? [{ row, recordId: verdict.recordId, refusal: sameAs }]
        : [{ row, recordId: null, refusal: verdict.why }];
    }),
  );

/** Throws `Refusal` if two columns fill the same field, or if a new field cannot be made. */
const checkColumns = (
  kind: ImportedKind,
  { columns: chosen, heads }: Mapping,
  firmLists: FirmLists,
) => {
  const known = new Set(targetsFor(kind, firmLists.defined).map(({ key }) => key));
  const seenKeys = new Set<string>();
  const names = new Set(firmLists.defined.map(({ name }) => name));
  for (const [at, key] of chosen.entries()) {
    if (key === null) continue;
    const head = heads[at] ?? '';
    if (key === newField) {
      const name = shortText(`column.${at}`, head);
      if (names.has(name)) throw columnFault(at, 'has the name of an existing field');
      names.add(name);
      continue;
    }
    if (!known.has(key)) throw columnFault(at, 'must be one of the choices');
    if (seenKeys.has(key) && !fillsTogether(key)) {
      throw columnFault(at, 'has the same field as another column');
    }
    seenKeys.add(key);
  }
  if (seenKeys.size === 0)
    throw invalid('No column is chosen yet. Choose a field for at least one.');
};

const columnFault = (at: number, rule: string) =>
  new Refusal('invalid_request', `Column ${at + 1} ${rule}.`, {}, [
    { field: `column.${at}`, rule },
  ]);

/** Throws `Refusal` if the firm is not set up for records of this kind. */
const mustBeReady = async (reader: Reader, kind: ImportedKind, firmLists: FirmLists) => {
  if (kind === 'contact') return;
  if ((await numberFormatOf(reader, kind)) === null) throw notNumbered(kind);
  if (kind === 'lead' && firmLists.leadStages.length === 0) {
    throw invalid(
      'The firm has no lead stage yet. An owner or administrator adds one in the settings.',
    );
  }
};
