import { expect } from 'bun:test';
import { type Firm, owner, type TestServer } from '../support/firm.ts';
import { visitorOf } from '../support/visitor.ts';

const lines = [
  { title: 'Check', startDay: 'applied', amount: '0', unit: 'days', assignee: 'APPLIER' },
  {
    ...{ title: 'Letter', startDay: 'applied', amount: '1', unit: 'workingDays' },
    assignee: 'RESPONSIBLE_ATTORNEY',
  },
  {
    ...{ title: 'Report', startDay: 'opened', amount: '4', unit: 'weeks' },
    assignee: 'RESPONSIBLE_ATTORNEY',
  },
  {
    ...{
      title: 'File',
      startDay: 'limitation',
      amount: '10',
      unit: 'workingDays',
      direction: 'before',
    },
    assignee: 'RESPONSIBLE_STAFF',
  },
  {
    ...{ title: 'Count', startDay: 'limitation', amount: '30', unit: 'days', direction: 'before' },
    assignee: '',
  },
  { title: 'Think', startDay: '', unit: 'days', assignee: '' },
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
