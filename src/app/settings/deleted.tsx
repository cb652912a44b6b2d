/** @jsxImportSource preact */
import type { ComponentChild } from 'preact';
import { notFound } from '../../base/refusal.ts';
import { listDeletedContacts, restoreContact } from '../../contacts/deleted.ts';
import { listDeletedLeads } from '../../leads/deleted.ts';
import { restoreLead } from '../../leads/status.ts';
import { listDeletedMatters } from '../../matters/deleted.ts';
import { restoreMatter } from '../../matters/status.ts';
import type { Page as Part } from '../../record/page.ts';
import { afterReturn, LeftOut } from '../deleted-record.tsx';
import type { Fields } from '../fields.ts';
import { Act } from '../form.tsx';
import { Foot, pageIn, Tabs } from '../list.tsx';
import { Moment } from '../moments.tsx';
import { Empty } from '../page-parts.tsx';
import { saying } from '../said.ts';
import { Table } from '../table.tsx';
import { form, type Page, page, type Shown, type Visit } from '../visit.ts';
import { Or } from '../words.tsx';
import { settingsPage } from './sections.tsx';

const path = '/settings/deleted';

type Deleted = {
  id: string;
  name: string | null;
  /** Its name on the button. */
  label: string;
  /** The line below its name. */
  more: string;
  /** A contact that was merged into another: only the merge can be undone. */
  isMerged?: boolean;
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
      const shown = rows.map(({ contactName, number, isPrivate, ...row }): Deleted => {
        const more = isPrivate ? `${number} · private` : number;
        return { ...row, name: contactName, label: number, more };
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
      const shown = rows.map(({ title, number, ...row }): Deleted => {
        return { ...row, name: title, label: number, more: number };
      });
      return { rows: shown, total };
    },
  },
  contacts: {
    title: 'Contacts',
    none: 'There are no deleted contacts.',
    head: 'Contact',
    list: async (actor: Visit['actor'], part: Part) => {
      const { rows, total } = await listDeletedContacts(actor, part);
      const shown = rows.map(({ isPrivate, ...row }): Deleted => {
        const said = [isPrivate && 'private', row.isMerged && 'merged into another contact'];
        return { ...row, label: row.name, more: said.filter(Boolean).join(' · ') };
      });
      return { rows: shown, total };
    },
  },
} as const;

const order = ['leads', 'matters', 'contacts'] as const;

const showDeleted = async ({ actor, query, may }: Visit): Promise<Shown> => {
  const part = pageIn(query);
  const readable = order.filter((kind) => may(`${kind}:read`));
  const asked = readable.find((kind) => kind === query.get('kind')) ?? readable[0];
  if (!asked) throw notFound();
  const { none, head, list } = kinds[asked];
  const { rows, total } = await list(actor, part);
  return settingsPage({
    title: 'Deleted records',
    intro: 'A restored record is as it was. Tasks and events that were cancelled stay cancelled.',
    follows: ['lead', 'matter', 'contact'],
    main: (
      <>
        <LeftOut />
        {readable.length > 1 && (
          <Tabs
            label="Deleted records by kind"
            tabs={readable.map((kind) => ({
              href: `${path}?kind=${kind}`,
              name: kinds[kind].title,
              isHere: kind === asked,
            }))}
          />
        )}
        {rows.length === 0 ? (
          <Empty text={none} />
        ) : (
          <>
            <DeletedTable head={head} rows={rows} kind={asked} mayRestore={may(`${asked}:write`)} />
            <Foot part={part} total={total} shown={rows.length} />
          </>
        )}
      </>
    ),
  });
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
        class: 'line-1',
        cell: ({ name, more }): ComponentChild => (
          <>
            <Or value={name} none="No name" />
            {more && <div class="small muted">{more}</div>}
          </>
        ),
      },
      {
        name: 'Deleted',
        class: 'nowrap line-2',
        cell: ({ deletedAt }) => <Moment at={deletedAt.toISOString()} />,
      },
      {
        name: 'By',
        class: 'line-2',
        cell: ({ deletedBy, keyName }) =>
          `${deletedBy ?? 'The administrator'}${keyName ? `, through key ${keyName}` : ''}`,
      },
      {
        name: 'Restore',
        class: 'number line-1',
        cell: ({ id, label, isMerged }) => {
          if (isMerged) return <a href={`/contacts/${id}`}>Merged into</a>;
          return (
            mayRestore && (
              <Act
                action={`${path}/${kind}/${id}/restore`}
                fields={{ name: label }}
                class="button small"
                label={`Restore ${label}`}
              >
                Restore
              </Act>
            )
          );
        },
      },
    ]}
  />
);

const deletedPage = page(
  path,
  { anyOf: order.map((kind) => `${kind}:read` as const) },
  showDeleted,
);

/** Restores a record of the list, which names it. */
const restores = (
  kind: keyof typeof kinds,
  restore: (
    actor: Visit['actor'],
    id: string,
  ) => Promise<{ hasLostExternalId: boolean } | undefined>,
) =>
  form(
    `${path}/${kind}/:id/restore` as const,
    `${kind}:write`,
    async ({ actor, parameters }: Visit<'/:id'>, fields: Fields) => {
      const left = await restore(actor, parameters.id);
      const list = `${path}?kind=${kind}`;
      const name = fields.text('name');
      const words = name ? `Restored: ${name}.` : 'Restored.';
      return saying(left ? afterReturn(list, left) : list, words);
    },
    deletedPage,
  );

export const deletedPages: Page[] = [
  deletedPage,
  restores('leads', restoreLead),
  restores('matters', async (actor, id) => void (await restoreMatter(actor, id))),
  restores('contacts', restoreContact),
];
