import { expect } from 'bun:test';
import { type Firm, owner, type TestServer } from '../support/firm.ts';
import { visitorOf } from '../support/visitor.ts';

const lines = [
  { title: 'Check', trigger: 'applied', amount: '0', unit: 'days', assignee: 'APPLIER' },
  {
    ...{ title: 'Letter', trigger: 'applied', amount: '1', unit: 'workingDays' },
    assignee: 'RESPONSIBLE_ATTORNEY',
  },
  {
    ...{ title: 'Report', trigger: 'opened', amount: '4', unit: 'weeks' },
    assignee: 'RESPONSIBLE_ATTORNEY',
  },
  {
    ...{
      title: 'File',
      trigger: 'limitation',
      amount: '10',
      unit: 'workingDays',
      direction: 'before',
    },
    assignee: 'RESPONSIBLE_STAFF',
  },
  {
    ...{ title: 'Count', trigger: 'limitation', amount: '30', unit: 'days', direction: 'before' },
    assignee: '',
  },
  { title: 'Think', trigger: '', unit: 'days', assignee: '' },
];

/** Makes the firm's list "Opened" with a task of each sort, and gives the address of its page. */
export const addExampleList = async (server: TestServer, firm: Firm): Promise<string> => {
  const ada = await visitorOf(server, firm, owner);
  const { location } = await ada.post('/settings/task-lists', { name: 'Opened' });
  for (const line of lines) {
    expect((await ada.post(`${location}/lines`, line)).status).toBe(303);
  }
  return location ?? '';
};
