/** What is asked of all: firms stored before, and the requests of each case. */
import type { Asked } from './contenders.ts';
import { withContactsId } from './figures.ts';
import type { LoadRequest } from './load.ts';
import { firstNames, lastNames, storePeople, storeWords, withoutSearchIndexes } from './people.ts';
import type { BenchFirm, setStage } from './stage.ts';

/** A case to measure: `rows` is how many records an answer must contain if it is a list. */
export type Case = Asked & { id: string; name: string; rows?: number };

/** A page of leads with the addresses of their contacts. Only this server knows of that: the others give the page. */
const withContacts = ({ id, name, requests, rows }: Case): Case => ({
  id: withContactsId(id),
  name: `${name}, each with its contact’s addresses`,
  requests: requests.map((one) => ({ ...one, path: `${one.path}&include=contact` })),
  ...(rows !== undefined && { rows }),
});

/** How large the firms are: pages of those of `sizes`, the others' one of them. */
export type Sizes = { pages: number[]; main: number; people: number };

const variety = 200;
const shown = (count: number) => count.toLocaleString('en');

/** Stores the firms, and gives the cases: those of the comparison, and pages by a firm's size. */
export const storeCases = async (stage: Awaited<ReturnType<typeof setStage>>, sizes: Sizes) => {
  const paged = new Map<number, BenchFirm>();
  for (const size of sizes.pages)
    paged.set(size, await stage.storeFirm(`Firm of ${size}`, { contacts: size, leads: size }));
  const busy = await stage.storeFirm('Busy firm', { contacts: 1_000, leads: 1_000 });
  const searched = await stage.foundFirm('Searched firm');
  const sql = stage.connect();
  await withoutSearchIndexes(sql, async () => {
    await storePeople(sql, searched, sizes.people);
    await storeWords(sql, searched.id);
  });
  await sql`vacuum analyze`;
  const idsIn = async (table: string, limit: number): Promise<string[]> =>
    (
      await sql`select id from ${sql(table)} where firm_id = ${busy.id} order by ordinal limit ${limit}`
    ).map(({ id }) => id);
  const [leads, clients] = [await idsIn('lead', variety), await idsIn('contact', 3)];
  const [key] = await sql`select id from api_key where firm_id = ${busy.id}`;
  await sql.end();

  const get = (firm: BenchFirm, path: string): LoadRequest => ({
    method: 'GET',
    path: `/v1/${path}`,
    key: firm.key,
  });
  const send = (method: string, path: string, body: unknown): LoadRequest => ({
    method,
    path: `/v1/${path}`,
    key: busy.key,
    body: JSON.stringify(body),
  });
  const page = (size: number, limit: number, isDeep: boolean): Case => {
    const offset = isDeep ? size * 0.9 : 0;
    const firm = paged.get(size) as BenchFirm;
    return {
      id: `page${limit}-${isDeep ? 'deep' : 'first'}-${size}`,
      name: `page of ${limit}${isDeep ? ` at offset ${shown(offset)}` : ''} of ${shown(size)} leads`,
      requests: [get(firm, `leads?limit=${limit}&offset=${offset}`)],
      rows: limit,
    };
  };
  const names = Array.from({ length: variety }, (_, index) => ({
    firstName: firstNames[index % firstNames.length] ?? '',
    lastName: lastNames[(index * 7) % lastNames.length] ?? '',
  }));
  const team = busy.members.map((memberId, at) => ({ memberId, allocation: 60 / (at + 1) }));
  const variables = {
    firm: busy.id,
    member: busy.members[0] ?? '',
    key: key?.id,
    lead_stage: busy.leadStageId,
    area: busy.practiceAreaId,
    stage: busy.stageId,
    clients: `{${clients}}`,
    members: `{${busy.members}}`,
    matter_clients: JSON.stringify(
      clients.map((contactId, at) => ({
        contactId,
        isPrimary: at === 0,
        isBillRecipient: at === 0,
      })),
    ),
    matter_team: JSON.stringify(team.map((one) => ({ ...one, role: 'RESPONSIBLE_ATTORNEY' }))),
    changes: JSON.stringify({ title: { before: null, after: 'Quill v. Rook' }, clients }),
  };

  const comparison: Case[] = [
    { id: 'read', name: 'read a lead', requests: leads.map((id) => get(busy, `leads/${id}`)) },
    page(sizes.main, 20, false),
    page(sizes.main, 20, true),
    page(sizes.main, 100, false),
    page(sizes.main, 100, true),
    withContacts(page(sizes.main, 20, false)),
    {
      id: 'create-lead',
      name: 'create a lead',
      script: 'create-lead',
      variables,
      requests: names.map((name) =>
        send('POST', 'leads', {
          ...name,
          email: `${name.firstName}.${name.lastName}@quill.example`.toLowerCase(),
        }),
      ),
      writes: true,
    },
    {
      id: 'create-matter',
      name: 'create a matter with 3 clients, team of 3',
      script: 'create-matter',
      variables,
      requests: names.map(({ lastName }) =>
        send('POST', 'matters', {
          practiceAreaId: busy.practiceAreaId,
          openDate: '2026-03-14',
          title: `${lastName} v. Rook`,
          clientContactIds: clients,
          team,
        }),
      ),
      writes: true,
    },
    {
      id: 'update',
      name: 'update a lead',
      // Each lead in turn, and another value the next time round: every update changes something.
      requests: ['HIGH', 'LOW'].flatMap((value) =>
        leads.map((id) => send('PATCH', `leads/${id}`, { value })),
      ),
      writes: true,
    },
    {
      id: 'search',
      name: `search in ${shown(sizes.people)} contacts`,
      requests: ['quackenbush', 'smith', 'anders', 'mary johnson', '90755', 'garcia partners'].map(
        (words) => get(searched, `search?q=${encodeURIComponent(words)}`),
      ),
    },
  ];
  const growth = sizes.pages.map((size) => ({
    size,
    first: page(size, 20, false),
    deep: page(size, 20, true),
  }));
  return { comparison, growth, key: busy.key };
};
