/** @jsxImportSource preact */
import type { ComponentChild } from 'preact';
import { written } from '../../base/numbers.ts';
import type { RecordOfRow, RefusedRow } from '../../imports/rows.ts';
import type { Import } from '../../imports/stored.ts';
import type { ImportedKind } from '../../imports/table.ts';
import { Icon } from '../icon.tsx';
import { Panel } from '../list.tsx';
import { counted } from '../numbers.ts';

type RefusedProps = { found: Import; rows: readonly RefusedRow[]; all: number };

export const RefusedRows = ({ found, rows, all }: RefusedProps) => (
  <Panel
    id="refused"
    title={`Skipped: ${counted(all, 'row')}`}
    action={
      found.hasContent && (
        <a class="button small" href={`/settings/imports/${found.id}/refused`} download>
          <Icon name="download" />
          Download skipped rows
        </a>
      )
    }
  >
    <Rows all={all} shown={rows.length}>
      {rows.map(({ row, why }) => (
        <li>
          <span class="muted nowrap">Row {written(row + 1)}</span>
          <span class="grow">{why}</span>
        </li>
      ))}
    </Rows>
  </Panel>
);

const Rows = ({
  all,
  shown,
  children,
}: {
  all: number;
  shown: number;
  children: ComponentChild;
}) => (
  <>
    <ul class="rows">{children}</ul>
    {all > shown && (
      <p class="body muted">
        The first {written(shown)} of {written(all)}.
      </p>
    )}
  </>
);

type RecordsProps = {
  id: string;
  title: string;
  kind: ImportedKind;
  rows: readonly RecordOfRow[];
  all: number;
};

export const Records = ({ id, title, kind, rows, all }: RecordsProps) => (
  <Panel id={id} title={title}>
    <Rows all={all} shown={rows.length}>
      {rows.map((one) => (
        <li>
          <span class="muted nowrap">Row {written(one.row + 1)}</span>
          {one.id ? (
            <a class="name grow" href={`/${kind}s/${one.id}`}>
              {one.name}
            </a>
          ) : (
            <span class="grow">An earlier row of the file</span>
          )}
        </li>
      ))}
    </Rows>
  </Panel>
);
