/** @jsxImportSource preact */
import { listMatters } from '../../matters/list.ts';
import type { MatterRow } from '../../matters/wire.ts';
import { isHeavy } from '../../record/page.ts';
import { type Column, Empty, Foot, pageIn, Table, Title } from '../list.tsx';
import { DayWords } from '../moments.tsx';
import { type Page, page, type Shown, type Visit } from '../visit.ts';
import { Or } from '../words.tsx';
import { statusNames } from './words.ts';

const dayOf = (day: string | null) => day && <DayWords day={day} />;

const columns: Column<MatterRow>[] = [
  { name: 'No.', look: 'nowrap', cell: ({ publicId }) => publicId },
  {
    name: 'Title',
    isHead: true,
    look: 'line-1 cut',
    cell: ({ id, title }) => (
      <a class="name" href={`/matters/${id}`} title={title}>
        {title}
      </a>
    ),
  },
  {
    name: 'Clients',
    look: 'line-2 cut',
    cell: ({ clients }) => (
      <Or value={clients.map(({ name }) => name).join(', ')} none="No client" />
    ),
  },
  { name: 'Area', look: 'cut', cell: ({ practiceArea }) => practiceArea?.name },
  { name: 'Stage', look: 'cut', cell: ({ stage }) => stage?.name },
  {
    name: 'Responsible',
    look: 'cut',
    cell: ({ team }) => (
      <Or value={team.find(({ role }) => role === 'RESPONSIBLE_ATTORNEY')?.name} none="Nobody" />
    ),
  },
  {
    name: 'Limitation',
    look: 'nowrap',
    cell: ({ solDate }) => <Or value={dayOf(solDate)} none="None set" />,
  },
  { name: 'Opened', look: 'nowrap', cell: ({ openDate }) => dayOf(openDate) },
  { name: 'Status', cell: ({ status }) => <span class="tag">{statusNames[status]}</span> },
];

const showMatters = async ({ actor, query }: Visit): Promise<Shown> => {
  const part = pageIn(query);
  const listed = await listMatters(actor, part);
  const rows: MatterRow[] = [];
  // One after the other: each may hold as much as memory has room for.
  for (const row of listed.rows) rows.push(isHeavy(row) ? withoutText(await row()) : row);
  return {
    title: 'Matters',
    follows: ['matter'],
    main: (
      <>
        <Title title="Matters" />
        {listed.total === 0 ? (
          <Empty says="The firm has no matters yet. A lead that is hired becomes one." />
        ) : (
          <>
            <Table caption="Matters, newest first" columns={columns} rows={rows} />
            <Foot part={part} total={listed.total} shown={rows.length} />
          </>
        )}
      </>
    ),
  };
};

const withoutText = (row: MatterRow): MatterRow => ({ ...row, description: null });

export const matterPages: Page[] = [page('/matters', 'matters:read', showMatters)];
