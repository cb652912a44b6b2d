/** @jsxImportSource preact */

import { written } from '../../base/numbers.ts';
import { invalidField } from '../../base/refusal.ts';
import type { Permission } from '../../firm/permissions.ts';
import { maxFileBytes } from '../../imports/file.ts';
import { beginImport, dropImport, undoImport } from '../../imports/import.ts';
import { skippedFile } from '../../imports/rows.ts';
import { isOpen } from '../../imports/state.ts';
import { listImports, readImport } from '../../imports/stored.ts';
import { type ImportedKind, importedKinds } from '../../imports/table.ts';
import { mapFile, uploadFile } from '../../imports/upload.ts';
import { Choices } from '../choices.tsx';
import { Dialog, Opens } from '../dialog.tsx';
import { csvFile } from '../export.tsx';
import { Field, type FieldProps, useField } from '../field.tsx';
import type { Fields } from '../fields.ts';
import { Form } from '../form.tsx';
import { Icon } from '../icon.tsx';
import { Foot, pageIn } from '../list.tsx';
import { Moment } from '../moments.tsx';
import { Empty } from '../page-parts.tsx';
import { settingsPage } from '../settings/sections.tsx';
import { type Column, Table } from '../table.tsx';
import { form, type Page, page, type Shown, type Visit } from '../visit.ts';
import { choicesFrom } from './columns.tsx';
import { kindWords, showOne, stateWords } from './one.tsx';

const path = '/settings/imports';
const may: Permission = 'data:import';

type Listed = Awaited<ReturnType<typeof listImports>>['rows'][number];

const madeWords = ({ state, counts }: Listed) =>
  isOpen(state) ? '–' : written(counts.made - counts.undone);

const columns: Column<Listed>[] = [
  {
    name: 'File',
    isHead: true,
    class: 'line-1 cut',
    cell: ({ id, fileName }) => (
      <a class="name" href={`${path}/${id}`} title={fileName}>
        {fileName}
      </a>
    ),
  },
  { name: 'Records', cell: ({ kind }) => kindWords[kind].name },
  {
    name: 'State',
    class: 'line-2',
    cell: ({ state }) => <span class="tag">{stateWords[state]}</span>,
  },
  { name: 'Rows', class: 'number', cell: ({ counts }) => written(counts.rows) },
  { name: 'Created', class: 'number', cell: madeWords },
  { name: 'By', cell: ({ memberName }) => memberName },
  {
    name: 'When',
    class: 'nowrap',
    cell: ({ createdAt }) => <Moment at={createdAt.toISOString()} />,
  },
];

/** An import makes records: it needs the permission to write records of its kind, too. */
const writesOf = (kind: ImportedKind | undefined) => kind && (`${kind}s:write` as const);

const writesOfIt = async ({ actor, parameters }: Visit<'/:id'>) =>
  writesOf((await readImport(actor, parameters.id)).kind);

const kindsFor = (visit: Visit) => importedKinds.filter((kind) => visit.may(`${kind}s:write`));

const kindIn = (fields: Fields) => importedKinds.find((one) => one === fields.text('kind'));

const showImports = async (visit: Visit): Promise<Shown> => {
  const part = pageIn(visit.query);
  const { rows, total } = await listImports(visit.actor, part);
  const kinds = kindsFor(visit);
  return settingsPage({
    title: 'Imports',
    intro: `Files of contacts, leads and matters from another program. Each import can be undone for 30 days.`,
    action: kinds.length > 0 && (
      <Opens dialog="bring" class="button primary">
        <Icon name="upload" />
        Import a file
      </Opens>
    ),
    follows: ['data_import'],
    main: (
      <>
        {total === 0 ? (
          <Empty text="There are no imports yet." />
        ) : (
          <>
            <Table caption="Imports" columns={columns} rows={rows} />
            <Foot part={part} total={total} shown={rows.length} />
          </>
        )}
        <Dialog id="bring" title="Import a file" class="slim">
          <Upload kinds={kinds} />
        </Dialog>
      </>
    ),
  });
};

const Upload = ({ kinds }: { kinds: readonly ImportedKind[] }) => (
  <Form action={path} save="Continue" files>
    <Choices
      name="kind"
      label="What is in the file?"
      value={kinds[0] ?? ''}
      options={kinds.map((kind) => ({ value: kind, ...kindWords[kind] }))}
    />
    <FileField
      name="file"
      label="File"
      ask="Choose a file."
      required
      hint="CSV, at most 10 MB and 20,000 rows. You see what will happen before anything is created."
    />
  </Form>
);

const FileField = (props: FieldProps) => {
  const field = useField(props, null);
  return (
    <Field {...props} field={field}>
      <input
        class="input"
        {...field.control}
        type="file"
        accept=".csv,.txt,.tsv,text/csv,text/plain"
        required={props.required}
      />
    </Field>
  );
};

const upload = async (visit: Visit, fields: Fields) => {
  const kind = kindIn(fields);
  if (!kind) throw invalidField('kind', 'must be one of the choices');
  const file = fields.file('file');
  if (!file) {
    throw invalidField('file', 'is needed');
  }
  const bytes = new Uint8Array(await file.arrayBuffer());
  // A program can leave the name out, which the type does not say.
  const id = await uploadFile(visit.actor, { kind, fileName: file.name || '', bytes });
  return `${path}/${id}`;
};

const map = async (visit: Visit<'/:id'>, fields: Fields) => {
  const found = await readImport(visit.actor, visit.parameters.id);
  await mapFile(visit.actor, found.id, await choicesFrom(visit, fields, found));
  const isAnew = (await readImport(visit.actor, found.id)).state === 'columns';
  return `${path}/${found.id}${isAnew ? '?step=columns' : ''}`;
};

const begin = async ({ actor, parameters }: Visit<'/:id'>) => {
  await beginImport(actor, parameters.id);
  return `${path}/${parameters.id}`;
};

const undo = async ({ actor, parameters }: Visit<'/:id'>) => {
  await undoImport(actor, parameters.id);
  return `${path}/${parameters.id}`;
};

const drop = async ({ actor, parameters }: Visit<'/:id'>) => {
  await dropImport(actor, parameters.id);
  return path;
};

const giveSkipped = async ({ actor, parameters, may: mayDo }: Visit<'/:id'>) => {
  const sees = mayDo('matters:read');
  const { fileName, head, rows } = await skippedFile(actor, parameters.id, sees);
  return csvFile(`${fileName.replaceAll(/[^\w .-]+/g, '_') || 'file'} skipped`, head, rows);
};

const importsPage = page(path, may, showImports);
const onePage = page(`${path}/:id`, may, showOne);

export const importPages: Page[] = [
  importsPage,
  form(path, may, upload, importsPage, {
    also: (_, fields) => writesOf(kindIn(fields)),
    maxBytes: maxFileBytes + 64 * 1024,
  }),
  onePage,
  form(`${path}/:id/columns`, may, map, onePage, {
    also: writesOfIt,
    said: 'The rows are being checked.',
  }),
  form(`${path}/:id/begin`, may, begin, onePage, {
    also: writesOfIt,
    said: 'The import has started.',
  }),
  form(`${path}/:id/undo`, may, undo, onePage, {
    also: writesOfIt,
    said: 'The undo has started.',
  }),
  form(`${path}/:id/drop`, may, drop, onePage, {
    also: writesOfIt,
    said: 'The file is discarded.',
  }),
  page(`${path}/:id/refused`, may, giveSkipped),
];
