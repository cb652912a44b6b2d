/** @jsxImportSource preact */
import { customFieldsOn } from '../../custom-fields/custom-field.ts';
import { listMatters, readMatter } from '../../matters/list.ts';
import type { MatterFull, MatterRow } from '../../matters/wire.ts';
import { isHeavy } from '../../record/page.ts';
import { customFieldWords, isKept } from '../custom-fields.tsx';
import { Icon } from '../icon.tsx';
import { type Column, Empty, Foot, Panel, pageIn, Table, Title } from '../list.tsx';
import { DayWords } from '../moments.tsx';
import { Value, Values } from '../values.tsx';
import { type Page, page, type Shown, type Visit } from '../visit.ts';
import { Avatar, Or } from '../words.tsx';
import { roleNames, statusNames } from './words.ts';

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

const showMatter = async ({ actor, parameters, may }: Visit<'/matters/:id'>): Promise<Shown> => {
  const [read, defined] = await Promise.all([
    readMatter(actor, parameters.id),
    customFieldsOn(actor, 'MATTER'),
  ]);
  const matter = isHeavy(read) ? await read() : read;
  return {
    title: matter.title,
    record: `Matter ${matter.publicId}`,
    follows: ['matter'],
    main: (
      <>
        <nav class="crumbs" aria-label="Where this is">
          <a href="/matters">Matters</a>
          <Icon name="chevron-right" />
          <span>{matter.publicId}</span>
        </nav>
        <Title
          title={matter.title}
          facts={
            <>
              <span class="tag accent">{statusNames[matter.status]}</span>
              <span>{matter.practiceArea?.name}</span>
              <span>{matter.stage?.name}</span>
            </>
          }
        />
        <div class="beside record">
          <div class="stack">
            <Dates matter={matter} />
            <Panel id="description" title="Description">
              <p class="body as-written">
                <Or value={matter.description} none="None" />
              </p>
            </Panel>
            <Panel id="fields" title="Fields">
              <div class="body">
                <Values>
                  {defined.filter(isKept).map((field) => (
                    <Value
                      label={field.name}
                      shown={customFieldWords(field, matter.customFields[field.name])}
                    />
                  ))}
                </Values>
              </div>
            </Panel>
          </div>
          <div class="stack">
            <Clients matter={matter} mayRead={may('contacts:read')} />
            <Team matter={matter} />
          </div>
        </div>
      </>
    ),
  };
};

type Part = { matter: MatterFull };

const Dates = ({ matter }: Part) => (
  <div role="group" aria-label="Dates">
    <Panel id="dates" title="Dates">
      <div class="body">
        <Values>
          <Value label="Limitation" none="None set" shown={dayOf(matter.solDate)} />
          <Value label="Opened" shown={dayOf(matter.openDate)} />
          <Value label="Closed" none="Not closed" shown={dayOf(matter.closeDate)} />
        </Values>
      </div>
    </Panel>
  </div>
);

const Clients = ({ matter, mayRead }: Part & { mayRead: boolean }) => (
  <div role="group" aria-label="Clients">
    <Panel id="clients" title="Clients">
      {matter.clients.length === 0 && <p class="body muted">No client.</p>}
      <ul class="rows">
        {matter.clients.map(({ contactId, name, isPrimary, isBillRecipient }) => (
          <li>
            <div class="grow">
              {mayRead ? (
                <a class="name" href={`/contacts/${contactId}`}>
                  {name}
                </a>
              ) : (
                name
              )}
              <div class="sub">
                {[isPrimary && 'Primary client', isBillRecipient && 'Gets the bill']
                  .filter(Boolean)
                  .join(' · ')}
              </div>
            </div>
          </li>
        ))}
      </ul>
    </Panel>
  </div>
);

const Team = ({ matter }: Part) => (
  <div role="group" aria-label="Team">
    <Panel id="team" title="Team">
      {matter.team.length === 0 && <p class="body muted">Nobody yet.</p>}
      <ul class="rows">
        {matter.team.map(({ name, role, allocation }) => (
          <li>
            <Avatar name={name} plain />
            <div class="grow">
              {name}
              <div class="sub">{roleNames[role]}</div>
            </div>
            <span class="muted">{allocation} %</span>
          </li>
        ))}
      </ul>
    </Panel>
  </div>
);

export const matterPages: Page[] = [
  page('/matters', 'matters:read', showMatters),
  page('/matters/:id', 'matters:read', showMatter),
];
