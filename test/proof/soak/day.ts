/** A firm's day: what its members in a browser and its integrators ask, each request by chance. */
import { type FoundForm, partsOf, sentBy } from '../../support/crawl.ts';
import { type Answer, attorney, caller, type Firm, owner } from '../../support/firm.ts';
import { chanceOf } from '../../support/random.ts';
import { type Visitor, visitorOf } from '../../support/visitor.ts';

/** A firm at work. */
export type Working = {
  firm: Firm;
  /** The ids of leads whose creation was acknowledged. */
  leads: string[];
  members: Visitor[];
};

/** What a request was, and whether it was answered as the contract promises. */
export type Done = { kind: Kind; fault?: string };

/** The kinds of requests whose latencies are told. */
export const kinds = ['read', 'list', 'search', 'create', 'change', 'page', 'form'] as const;
export type Kind = (typeof kinds)[number];

const { random, happens, among, from } = chanceOf(20_261_122);

/** So often each kind is asked, of a hundred. */
const shares: Record<Kind, number> = {
  read: 30,
  list: 15,
  search: 6,
  create: 14,
  change: 9,
  page: 20,
  form: 6,
};

/** Signs two members in. */
export const openDay = async (
  server: { url: string; databaseUrl: string },
  firm: Firm,
): Promise<Working> => ({
  firm,
  leads: [],
  members: [await visitorOf(server, firm, owner), await visitorOf(server, firm, attorney)],
});

/** Asks one thing of a firm's day. It begins with leads. */
export const askSomething = async (url: string, day: Working): Promise<Done> => {
  const kind = day.leads.length < 3 ? 'create' : chosen();
  return { kind, ...(await asks[kind](url, day)) };
};

const chosen = (): Kind => {
  let left = random() * 100;
  for (const kind of kinds) {
    left -= shares[kind];
    if (left < 0) return kind;
  }
  return 'read';
};

type Ask = (url: string, day: Working) => Promise<{ fault?: string }>;

const lists = [
  '/v1/leads?limit=20',
  '/v1/leads?limit=50&offset=50',
  '/v1/contacts?limit=20',
  '/v1/matters?limit=20',
  '/v1/practice-areas',
];
const pages = ['/', '/leads', '/leads?view=list', '/contacts', '/matters', '/inbox', '/calendar'];
const names = ['Adler', 'Boyce', 'Castellano', 'Dvořák', 'Eze', 'Farrow', 'Grünwald', 'Hoang'];

const wanted = (status: number, { status: was, body }: Answer) =>
  was === status ? {} : { fault: `${was} ${JSON.stringify(body).slice(0, 200)}` };

const asks: Record<Kind, Ask> = {
  read: async (url, { firm, leads }) =>
    wanted(200, await caller(url, firm.owner.key).get(`/v1/leads/${among(leads)}`)),

  list: async (url, { firm }) => wanted(200, await caller(url, firm.owner.key).get(among(lists))),

  search: async (url, { firm }) =>
    wanted(200, await caller(url, firm.owner.key).get(`/v1/search?q=${among(names).slice(0, 4)}`)),

  create: async (url, { firm, leads }) => {
    const { post } = caller(url, firm.owner.key);
    if (leads.length > 3 && happens(0.15)) {
      return wanted(
        201,
        await post('/v1/matters', {
          practiceAreaId: firm.practiceAreas.Family?.id,
          openDate: '2026-03-02',
          title: `${among(names)} and ${among(names)}`,
          team: [{ memberId: firm.members[attorney] }],
        }),
      );
    }
    const body = {
      firstName: among(names),
      lastName: `${among(names)}-${from(1, 9_999)}`,
      emails: [{ address: `caller${from(1, 99_999)}@example.com` }],
    };
    const once = { 'idempotency-key': Bun.randomUUIDv7() };
    const answer = await post('/v1/leads', body, once);
    if (answer.status !== 201) return wanted(201, answer);
    const { id } = answer.body.data as { id: string };
    leads.push(id);
    // An integrator that did not read the answer asks again, and gets the same lead.
    const again = happens(0.05) ? await post('/v1/leads', body, once) : answer;
    return again.body?.data?.id === id ? {} : { fault: 'a repeat was given another lead' };
  },

  change: async (url, { firm, leads }) => {
    const stages = Object.values(firm.leadStages);
    const { patch } = caller(url, firm.owner.key);
    const change = { leadStageColumnId: among(stages) };
    return wanted(200, await patch(`/v1/leads/${among(leads)}`, change));
  },

  page: async (_, { members, leads }) => {
    const path = happens(0.4) ? `/leads/${among(leads)}` : among(pages);
    const { status } = await among(members).get(path);
    return status === 200 ? {} : { fault: `${status} for the page ${path}` };
  },

  form: async (_, { members, leads }) => {
    const member = among(members);
    const path = `/leads/${among(leads)}`;
    const { text } = await member.get(path);
    const { forms } = await partsOf(text, path);
    const note = forms.find((one) => one.action === `${path}/notes` && isTypedInto(one));
    if (!note) return { fault: `${path} has no form for a note` };
    const sent = { ...sentBy(note), text: `Called ${among(names)}.` };
    const { status } = await member.post(note.action, sent);
    return status === 303 ? {} : { fault: `${status} for a note` };
  },
};

const isTypedInto = ({ fields }: FoundForm) => fields.some(({ name }) => name === 'text');
