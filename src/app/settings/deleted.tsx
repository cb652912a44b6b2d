/** @jsxImportSource preact */
import { listDeletedLeads } from '../../leads/deleted.ts';
import { restoreLead } from '../../leads/status.ts';
import { Empty, Foot, pageIn, Table } from '../list.tsx';
import { Moment } from '../moments.tsx';
import { form, type Page, page, type Shown, type Visit } from '../visit.ts';
import { Or } from '../words.tsx';
import { SettingsAct, SettingsPage } from './sections.tsx';

const here = '/settings/deleted';

const showDeleted = async ({ actor, query, may }: Visit): Promise<Shown> => {
  const part = pageIn(query);
  const { rows, total } = await listDeletedLeads(actor, part);
  return {
    title: 'Deleted records',
    place: '/settings',
    follows: ['lead'],
    main: (
      <SettingsPage
        title="Deleted records"
        says="Leads that were deleted. You can restore them as they were."
      >
        {rows.length === 0 ? (
          <Empty says="There are no deleted leads." />
        ) : (
          <>
            <Table
              caption="Deleted leads"
              rows={rows}
              columns={[
                {
                  name: 'Lead',
                  isHead: true,
                  look: 'line-1',
                  cell: (row) => (
                    <>
                      <Or value={row.contactName} none="No name" />
                      <div class="small muted">
                        {row.number}
                        {row.isPrivate && ' · private'}
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
                    may('leads:write') && (
                      <SettingsAct
                        action={`${here}/leads/${id}/restore`}
                        look="button small"
                        label={`Restore ${number}`}
                      >
                        Restore
                      </SettingsAct>
                    ),
                },
              ]}
            />
            <Foot part={part} total={total} shown={rows.length} />
          </>
        )}
      </SettingsPage>
    ),
  };
};

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
];
