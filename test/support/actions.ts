/** The five actions of every resource, each as one call (docs/contract.md, Endpoints). */
import type { Answer, Caller, Firm } from './firm.ts';
import { type Sample, samples } from './samples.ts';

/** Each with the half of the scope it takes, and its status. */
export const actions = [
  { action: 'list', right: 'read', status: 200 },
  { action: 'create', right: 'write', status: 201 },
  { action: 'read one', right: 'read', status: 200 },
  { action: 'update', right: 'write', status: 200 },
  { action: 'delete', right: 'write', status: 200 },
] as const;

export type Action = Pick<(typeof actions)[number], 'action'>;

const sampleOf = (name: string): Sample => {
  const sample = samples[name];
  if (!sample) throw new Error(`test/support/samples.ts has no sample of ${name}.`);
  return sample;
};

/** Does one of them, on the record with this id if it needs one. */
export const act = async (
  caller: Caller,
  { action }: Action,
  name: string,
  firm: Firm,
  id: string,
): Promise<Answer> => {
  const { create, change, list } = sampleOf(name);
  switch (action) {
    case 'list':
      return caller.get(await list(firm));
    case 'create':
      return caller.post(`/v1/${name}`, await create(firm));
    case 'read one':
      return caller.get(`/v1/${name}/${id}`);
    case 'update':
      return caller.patch(`/v1/${name}/${id}`, change);
    case 'delete':
      return caller.delete(`/v1/${name}/${id}`);
  }
};

/** Makes one record of a resource, and gives its id. */
export const makeOne = async (firm: Firm, name: string): Promise<string> => {
  const { body } = await firm.owner.post(`/v1/${name}`, await sampleOf(name).create(firm));
  return body.data.id;
};
