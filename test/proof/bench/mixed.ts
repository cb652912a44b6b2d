/** Calls of every kind that an integrator makes, mixed: also those that are refused. */
import { firstNames, lastNames } from './people.ts';

/** A firm on a server, with a key for everything. */
export type MixedFirm = {
  address: string;
  key: string;
  members: string[];
  practiceAreaId: string;
};

const clients = 16;
const nobody = '019c0000-0000-7000-8000-000000000000';
const lists = ['leads', 'contacts', 'matters', 'practice-areas', 'custom-fields', 'lead-stages'];

const nameOf = (at: number) => ({
  firstName: firstNames[at % firstNames.length] ?? '',
  lastName: `${lastNames[(at * 7) % lastNames.length]}-${at % 10_000}`,
});

/** Makes so many calls of one firm, one after the other from each of 16 clients. */
export const mixedCalls = ({ address, key, members, practiceAreaId }: MixedFirm) => {
  const ids = { leads: [] as string[], contacts: [] as string[], matters: [] as string[] };
  let made = 0;

  const call = async (method: string, path: string, wanted: number, body?: unknown) => {
    const headers = { authorization: `Bearer ${key}`, 'content-type': 'application/json' };
    const sent = body === undefined ? {} : { body: JSON.stringify(body) };
    const answer = await fetch(`${address}/v1/${path}`, { method, headers, ...sent });
    const text = await answer.text();
    if (answer.status !== wanted)
      throw new Error(`${method} ${path} was answered ${answer.status}: ${text.slice(0, 200)}`);
    return text;
  };
  const create = async (kind: keyof typeof ids, body: object) => {
    const { data } = JSON.parse(await call('POST', kind, 201, body)) as { data: { id: string } };
    ids[kind].push(data.id);
  };
  /** One of those that were made, evenly over all of them. */
  const one = (kind: keyof typeof ids, at: number) =>
    `${kind}/${ids[kind][(at * 7919) % ids[kind].length]}`;

  const kinds: ((at: number) => Promise<unknown>)[] = [
    (at) => create('leads', { ...nameOf(at), email: `caller-${at}@quill.example`, value: 'LOW' }),
    (at) => create('contacts', { ...nameOf(at), emails: [{ address: `${at}@rook.example` }] }),
    (at) => {
      const team = [{ memberId: members[at % members.length], allocation: 60 }];
      const clientContactIds = [one('contacts', at).slice('contacts/'.length)];
      const title = `${nameOf(at).lastName} v. Rook`;
      const openDate = '2026-03-14';
      return create('matters', { practiceAreaId, openDate, title, clientContactIds, team });
    },
    ...(['leads', 'contacts', 'matters', 'leads', 'matters'] as const).map(
      (kind) => (at: number) => call('GET', one(kind, at), 200),
    ),
    (at) => call('GET', `${lists[at % lists.length]}?limit=20`, 200),
    (at) => call('GET', `leads?limit=50&offset=${at % ids.leads.length}`, 200),
    (at) => call('GET', `contacts?limit=20&offset=${at % ids.contacts.length}`, 200),
    (at) => call('GET', `matters?limit=100&offset=${at % ids.matters.length}`, 200),
    (at) => call('GET', `search?q=${encodeURIComponent(nameOf(at).lastName)}`, 200),
    (at) => call('GET', `search?q=${nameOf(at).firstName.slice(0, 3)}`, 200),
    (at) => call('PATCH', one('leads', at), 200, { value: at % 2 ? 'HIGH' : 'LOW' }),
    (at) => call('PATCH', one('contacts', at), 200, nameOf(at + 1)),
    (at) => call('PATCH', one('matters', at), 200, { title: `${nameOf(at).lastName} estate` }),
    (at) => call('POST', 'leads', 400, { lastName: at }),
    () => call('GET', `matters/${nobody}`, 404),
    (at) => call('PATCH', `contacts/${nobody}`, 404, nameOf(at)),
  ];

  /** The next calls; throws if one is not answered as it should be. */
  return async (count: number) => {
    const end = made + count;
    const client = async () => {
      while (made < end) {
        made += 1;
        // The first calls make what the others are about.
        const first = made < 2 * clients ? made % 2 : 2;
        await kinds[made < 4 * clients ? first : made % kinds.length]?.(made);
      }
    };
    await Promise.all(Array.from({ length: clients }, client));
  };
};
