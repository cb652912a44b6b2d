/** What all resources share is tested over contents.ts: here is how one record of each is made. */
import { resources } from '../../src/contents.ts';
import type { Answer, Caller, Standing } from './firm.ts';

type Firm = Pick<Standing, 'practiceAreas'>;

const bodies: Record<string, (firm: Firm) => Record<string, unknown>> = {
  contacts: () => ({ firstName: 'Zoe', lastName: 'Quill' }),
  leads: () => ({ firstName: 'Zoe', lastName: 'Quill' }),
  matters: (firm) => ({ practiceAreaId: firm.practiceAreas.Family?.id, openDate: '2026-01-31' }),
  'practice-areas': () => ({ name: 'Tax' }),
  'matter-types': (firm) => ({ practiceAreaId: firm.practiceAreas.Family?.id, name: 'Custody' }),
};

/** A body that creates a record of this resource. */
export const bodyFor = (name: string, firm: Firm): Record<string, unknown> => {
  const body = bodies[name];
  if (!body) throw new Error(`Say in test/support/records.ts how one of ${name} is made.`);
  return body(firm);
};

/** The path of a resource's list; that of matter types names a practice area. */
export const listPath = (name: string, firm: Firm) =>
  name === 'matter-types'
    ? `/v1/${name}?practiceAreaId=${firm.practiceAreas.Family?.id}`
    : `/v1/${name}`;

/** The five actions of a resource, each as a call, with the scope it takes and its status. */
export const actions = [
  { action: 'list', right: 'read', status: 200 },
  { action: 'create', right: 'write', status: 201 },
  { action: 'read one', right: 'read', status: 200 },
  { action: 'update', right: 'write', status: 200 },
  { action: 'delete', right: 'write', status: 200 },
] as const;

/** Does one of the five actions, on the record of this id where it takes one. */
export const act = (
  caller: Caller,
  { action }: { action: (typeof actions)[number]['action'] },
  name: string,
  firm: Firm,
  id: string,
): Promise<Answer> => {
  switch (action) {
    case 'list':
      return caller.get(listPath(name, firm));
    case 'create':
      return caller.post(`/v1/${name}`, bodyFor(name, firm));
    case 'read one':
      return caller.get(`/v1/${name}/${id}`);
    case 'update':
      return caller.patch(`/v1/${name}/${id}`, {});
    case 'delete':
      return caller.delete(`/v1/${name}/${id}`);
  }
};

/** How many records of each resource the caller may see. */
export const totals = async (caller: Caller, firm: Firm): Promise<Record<string, number>> =>
  Object.fromEntries(
    await Promise.all(
      resources.map(async ({ name }) => {
        const { body } = await caller.get(listPath(name, firm));
        return [name, body.pagination.total] as const;
      }),
    ),
  );
