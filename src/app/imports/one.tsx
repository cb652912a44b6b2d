/** @jsxImportSource preact */

import { written } from '../../base/numbers.ts';
import { whyNotUndone } from '../../imports/import.ts';
import { existsAlready, keptRows, refusedRows, sameRows } from '../../imports/rows.ts';
import { type ImportState, isOpen } from '../../imports/state.ts';
import { type Import, readImport, undoDays } from '../../imports/stored.ts';
import type { ImportedKind } from '../../imports/table.ts';
import { Asks } from '../asks.tsx';
import { Opens } from '../dialog.tsx';
import { Act } from '../form.tsx';
import { Icon } from '../icon.tsx';
import { MomentSaid } from '../moments.tsx';
import { counted } from '../numbers.ts';
import { Progress } from '../progress.tsx';
import { settingsPage } from '../settings/sections.tsx';
import type { Shown, Visit } from '../visit.ts';
import { columnsForm, LeftOutAfterCheck } from './columns.tsx';
import { firstRowsPanel, KnownRows, Records, RefusedRows } from './rows.tsx';

export const kindWords: Record<ImportedKind, { name: string; one: string; hint: string }> = {
  contact: {
    name: 'Contacts',
    one: 'contact',
    hint: 'People and companies, each with email addresses and phone numbers.',
  },
  lead: {
    name: 'Leads',
    one: 'lead',
    hint: 'Each row creates a lead and its contact. Nobody gets a notification.',
  },
  matter: {
    name: 'Matters',
    one: 'matter',
    hint: 'Import the contacts first: clients are found by their names.',
  },
};

export const stateWords: Record<ImportState, string> = {
  columns: 'Not started',
  preview: 'Checked',
  running: 'Importing',
  done: 'Imported',
  undoing: 'Undoing',
  undone: 'Undone',
};

/** A number of records in words: `1 contact`, `1,200 contacts`. */
export const records = (number: number, kind: ImportedKind) => counted(number, kindWords[kind].one);

/** At most this many rows of each sort are listed. */
const listed = { limit: 50, offset: 0 };

/** One import: its columns, its preview, its progress, or its result. */
export const showOne = async (visit: Visit<'/:id'>): Promise<Shown> => {
  const found = await readImport(visit.actor, visit.parameters.id);
  const wantsColumns = visit.query.get('step') === 'columns' || visit.path.endsWith('/columns');
  const isMapped = found.state === 'columns' || (found.state === 'preview' && wantsColumns);
  return settingsPage({
    title: found.fileName,
    within: { path: '/settings/imports', name: 'Imports' },
    intro: `${kindWords[found.kind].name}, ${counted(found.counts.rows, 'row')}. ${stateWords[found.state]}.`,
    action: <Actions visit={visit} found={found} />,
    follows: ['data_import', found.kind],
    main: <>{isMapped ? await columnsForm(visit, found) : await outcomeOf(visit, found)}</>,
  });
};

type Props = { visit: Visit<'/:id'>; found: Import };

const Actions = ({ visit, found }: Props) => {
  const path = `/settings/imports/${found.id}`;
  const { state, kind, counts } = found;
  if (!visit.may(`${kind}s:write`)) return null;
  if (isOpen(state)) {
    return (
      <Act action={`${path}/drop`} class="button">
        <Icon name="trash-2" />
        Discard the file
      </Act>
    );
  }
  if (whyNotUndone(found, new Date()) || counts.made === 0) return null;
  return (
    <>
      <Opens dialog="undo">
        <Icon name="undo-2" />
        Undo the import
      </Opens>
      <Asks
        id="undo"
        title="Undo this import?"
        action={`${path}/undo`}
        verb="Undo the import"
        isEnd
      >
        <p>
          The import created {records(counts.made, kind)}. Records that nobody has changed since are
          deleted. The others stay, and are listed here.
        </p>
      </Asks>
    </>
  );
};

const outcomeOf = async ({ actor, may }: Visit<'/:id'>, found: Import) => {
  const { id, kind, state, counts } = found;
  const [refused, same, kept] = await Promise.all([
    refusedRows(actor, id, listed),
    sameRows(actor, id, kind, listed),
    state === 'undone' ? keptRows(actor, id, kind, listed) : [],
  ]);
  const isPreview = state === 'preview';
  const firstRows = isPreview && (await firstRowsPanel(actor, found));
  const [made, known, left] = isPreview
    ? [counts.new, counts.same, counts.refused]
    : [counts.made, counts.known, counts.left];
  return (
    <>
      {isPreview && may(`${kind}s:write`) && <Begin found={found} />}
      {isPreview && <Namesakes found={found} />}
      {isPreview && <LeftOutAfterCheck found={found} may={may} />}
      {state === 'running' && (
        <Progress done={counts.done} all={counts.rows} noun="row" words="imported">
          {goesOn}
        </Progress>
      )}
      {state === 'undoing' && (
        <Progress done={counts.undone} all={counts.made} noun="row" words="deleted">
          {goesOn}
        </Progress>
      )}
      {state === 'done' && <Done found={found} />}
      {state === 'undone' && <Undone found={found} />}
      <dl class="figures">
        <Figure name={isPreview ? 'Will be created' : 'Created'} value={made} />
        <Figure name={existsAlready} value={known} />
        <Figure name={isPreview ? 'Will be skipped' : 'Skipped'} value={left} />
        {state === 'undone' && <Figure name="Deleted by the undo" value={counts.undone} />}
      </dl>
      {firstRows}
      {state === 'undone' && kept.length > 0 && (
        <Records
          id="kept"
          title="Not deleted: changed since the import"
          kind={kind}
          rows={kept}
          all={made - counts.undone}
        />
      )}
      {left > 0 && <RefusedRows found={found} rows={refused} all={left} />}
      {known > 0 && (
        <KnownRows
          found={found}
          rows={same}
          all={known}
          seesMatters={may('matters:read')}
          isSecond={left > 0}
        />
      )}
    </>
  );
};

const Figure = ({ name, value }: { name: string; value: number }) => (
  <div>
    <dt>{name}</dt>
    <dd>{written(value)}</dd>
  </div>
);

const Begin = ({ found: { id, kind, counts } }: { found: Import }) => {
  const path = `/settings/imports/${id}`;
  const made = counts.new;
  return (
    <div class="row">
      {made > 0 && (
        <Act action={`${path}/begin`} class="button primary">
          Import {records(made, kind)}
        </Act>
      )}
      <a class="button" href={`${path}?step=columns`}>
        Change the columns
      </a>
      {made === 0 && <span class="muted">There is nothing new to import.</span>}
    </div>
  );
};

/** Rows that would be new, although the firm or the file already has the name. */
const Namesakes = ({ found: { kind, counts } }: { found: Import }) => {
  const namesakes = counts.namesakes;
  if (namesakes === 0) return null;
  const one = `a ${kindWords[kind].one} that exists`;
  const words =
    namesakes === 1
      ? `1 row has the name of ${one} but ${bare[kind]}. The row cannot be compared, so it would create another one.`
      : `${counted(namesakes, 'row')} have the name of ${one} but ${bare[kind]}. These rows cannot be compared, so they would create others.`;
  return (
    <p class="banner warn" role="note">
      {words} If you have imported this list before, first remove those rows from the file.
    </p>
  );
};

const bare: Record<ImportedKind, string> = {
  contact: 'no email or phone',
  lead: 'no email or phone',
  matter: 'no former number or client',
};

const goesOn = 'You can leave this page: the import continues.';

const Done = ({ found: { kind, counts, importedAt } }: { found: Import }) => (
  <p class="banner ok" role="status">
    <span>
      {records(counts.made, kind)} imported {importedAt && <MomentSaid at={importedAt} />}. You can
      undo this for {undoDays} days.
    </span>
  </p>
);

const Undone = ({ found: { kind, counts, undoneAt } }: { found: Import }) => (
  <p class="banner" role="status">
    <span>
      Undone {undoneAt && <MomentSaid at={undoneAt} />}: {records(counts.undone, kind)} deleted.
    </span>
  </p>
);
