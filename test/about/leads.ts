/** What the tests of tasks and of events about leads share. */
import { expect } from 'bun:test';
import {
  attorney,
  bookkeeper,
  type Firm,
  makeFirm,
  owner,
  type TestServer,
} from '../support/firm.ts';
import { visitorOf } from '../support/visitor.ts';

export const makeLead = async (firm: Firm, more: object = {}) =>
  (await firm.owner.post('/v1/leads', { lastName: 'Quill', ...more })).body.data as {
    id: string;
    publicId: string;
  };

export const inDays = (days: number) =>
  new Date(Date.now() + days * 86_400_000).toISOString().slice(0, 10);

/** What a member finds in their inbox. */
export const inboxOf = (firm: Firm, email: string) =>
  firm.command<{ kind: string; text: string }[]>(['inbox', '--member', email]);

/** Hires the firm's lead, and gives the matter. */
export const hire = async (server: TestServer, firm: Firm, leadId: string) => {
  const ada = await visitorOf(server, firm, owner);
  const area = firm.practiceAreas.Family?.id ?? '';
  const body = { practiceAreaId: area, openDate: '2026-11-22', noDateYet: 'on' };
  expect((await ada.post(`/leads/${leadId}/hire`, body)).status).toBe(303);
  return (await firm.owner.get('/v1/matters')).body.data[0] as { id: string; publicId: string };
};

/** The paths that the search's first answers lead to. */
export const foundBy = async (server: TestServer, firm: Firm, words: string) => {
  const ada = await visitorOf(server, firm, owner);
  const island = { 'x-sent-by': 'island', accept: 'application/json' };
  const { text } = await ada.get(`/search?q=${words}`, island);
  return (JSON.parse(text).found as { path: string }[]).map(({ path }) => path);
};

/**
 * A firm with a lead and a matter, one member who may do all with leads alone, and one with matters alone; `named`
 * is how a body names each of the two records, and `query` how the address of a form does.
 */
export const divided = async (server: TestServer) => {
  const firm = await makeFirm(server, {
    roles: [
      { name: 'Leads', permissions: ['leads:read', 'leads:write'] },
      { name: 'Matters', permissions: ['matters:read', 'matters:write'] },
    ],
    members: [
      { email: owner, name: 'Ada Harrow', role: 'Owner' },
      { email: attorney, name: 'Lea', role: 'Leads' },
      { email: bookkeeper, name: 'Mat', role: 'Matters' },
    ],
  });
  const lead = await makeLead(firm);
  const matter = await firm.owner.post('/v1/matters', {
    practiceAreaId: firm.practiceAreas.Family?.id,
    openDate: '2026-02-03',
  });
  const matterId = matter.body.data.id as string;
  return {
    firm,
    named: { leads: { leadId: lead.id }, matters: { matterId } },
    query: { leads: `lead=${lead.id}`, matters: `matter=${matterId}` },
    sides: [
      [attorney, 'leads', 'matters'],
      [bookkeeper, 'matters', 'leads'],
    ] as const,
  };
};
