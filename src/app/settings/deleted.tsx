/** @jsxImportSource preact */
import type { ComponentChild } from 'preact';
import { listDeletedLeads } from '../../leads/deleted.ts';
import { restoreLead } from '../../leads/status.ts';
import { listDeletedMatters } from '../../matters/deleted.ts';
import { restoreMatter } from '../../matters/status.ts';
import type { Page as Part } from '../../record/page.ts';
import { Empty, Foot, pageIn, Tabs } from '../list.tsx';
import { Moment } from '../moments.tsx';
import { Table } from '../table.tsx';
import { form, type Page, page, type Shown, type Visit } from '../visit.ts';
import { Or } from '../words.tsx';
import { SettingsAct, SettingsPage } from './sections.tsx';

const here = '/settings/deleted';

/** What a deleted record is shown by. */
type Deleted = {
  id: string;
  number: string;
  name: string | null;
  /** What is said of it besides. */
  more: string;
  deletedAt: Date;
  deletedBy: string | null;
  keyName: string | null;
};

const kinds = {
  leads: {
    title: 'Leads',
    none: 'There are no deleted leads.',
    head: 'Lead',
    list: async (actor: Visit['actor'], part: Part) => {
      const { rows, total } = await listDeletedLeads(actor, part);
      const shown = rows.map(({ contactName, isPrivate, ...row }): Deleted => {
        return { ...row, name: contactName, more: isPrivate ? ' · private' : '' };
      });
      return { rows: shown, total };
    },
  },
  matters: {
    title: 'Matters',
    none: 'There are no deleted matters.',
    head: 'Matter',
    list: async (actor: Visit['actor'], part: Part) => {
      const { rows, total } = await listDeletedMatters(actor, part);
      const shown = rows.map(({ title, ...row }): Deleted => ({ ...row, name: title, more: '' }));
      return { rows: shown, total };
    },
  },
} as const;

const showDeleted = async ({ actor, query, may }: Visit): Promise<Shown> => {
  const part = pageIn(query);
  const asked = query.get('kind') === 'matters' && may('matters:read') ? 'matters' : 'leads';
  const { none, head, list } = kinds[asked];
  const { rows, total } = await list(actor, part);
  return {
    title: 'Deleted records',
    place: '/settings',
    follows: ['lead', 'matter'],
    main: (
      <SettingsPage
        title="Deleted records"
        says="A restored record is as it was. Tasks and events that were cancelled stay cancelled."
      >
        {may('matters:read') && (
          <Tabs
            label="Deleted records by kind"
            tabs={(['leads', 'matters'] as const).map((kind) => ({
              href: kind === 'leads' ? here : `${here}?kind=${kind}`,
              name: kinds[kind].title,
              isHere: kind === asked,
            }))}
          />
        )}
        {rows.length === 0 ? (
          <Empty says={none} />
        ) : (
          <>
            <DeletedTable head={head} rows={rows} kind={asked} mayRestore={may(`${asked}:write`)} />
            <Foot part={part} total={total} shown={rows.length} />
          </>
        )}
      </SettingsPage>
    ),
  };
};

type TableProps = {
  head: string;
  rows: readonly Deleted[];
  kind: keyof typeof kinds;
  mayRestore: boolean;
};

const DeletedTable = ({ head, rows, kind, mayRestore }: TableProps) => (
  <Table
    caption={`Deleted ${kind}`}
    rows={rows}
    columns={[
      {
        name: head,
        isHead: true,
        look: 'line-1',
        cell: ({ name, number, more }): ComponentChild => (
          <>
            <Or value={name} none="No name" />
            <div class="small muted">
              {number}
              {more}
            </div>
          </>
        ),
      },
      {
        name: 'Deleted',
        look: 'nowrap line-2',
        cell: ({ deletedAt }) => <Moment at={deletedAt.toISOString()} />,
      },
      {
        name: 'By',
        look: 'line-2',
        cell: ({ deletedBy, keyName }) =>
          `${deletedBy ?? 'The administrator'}${keyName ? `, through key ${keyName}` : ''}`,
      },
      {
        name: 'Restore',
        look: 'number line-1',
        cell: ({ id, number }) =>
          mayRestore && (
            <SettingsAct
              action={`${here}/${kind}/${id}/restore`}
              look="button small"
              label={`Restore ${number}`}
            >
              Restore
            </SettingsAct>
          ),
      },
    ]}
  />
);

export const deletedPages: Page[] = [
  page(here, 'leads:read', showDeleted),
  form(
    `${here}/leads/:id/restore`,
    'leads:write',
    async ({ actor, parameters }) => {
      await restoreLead(actor, parameters.id);
      return here;
    },
    showDeleted,
  ),
  form(
    `${here}/matters/:id/restore`,
    'matters:write',
    async ({ actor, parameters }) => {
      await restoreMatter(actor, parameters.id);
      return `${here}?kind=matters`;
    },
    showDeleted,
  ),
];
