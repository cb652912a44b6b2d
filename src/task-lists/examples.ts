/** Task lists that a firm can start from. They are examples of what a list can say, and no advice. */
import { ofNothing } from '../date-rules/trigger.ts';
import type { LineFields } from './task-list.ts';

const on = (
  title: string,
  trigger: LineFields['trigger'],
  amount: number,
  unit: LineFields['unit'],
  assignee: LineFields['assignee'],
): LineFields => ({ title, trigger, ...ofNothing, amount, unit, assignee });

/** The examples by name. */
export const exampleLists: readonly { name: string; lines: readonly LineFields[] }[] = [
  {
    name: 'New matter',
    lines: [
      on('Check for conflicts', 'applied', 0, 'days', 'APPLIER'),
      on('Send the engagement letter', 'applied', 1, 'workingDays', 'RESPONSIBLE_ATTORNEY'),
      on('Ask the client for all documents', 'applied', 2, 'workingDays', 'RESPONSIBLE_STAFF'),
      on('Enter the limitation date and its source', 'applied', 2, 'workingDays', 'APPLIER'),
      on('Report to the client', 'opened', 4, 'weeks', 'RESPONSIBLE_ATTORNEY'),
    ],
  },
  {
    name: 'Before the limitation date',
    lines: [
      on('Check the limitation date', 'limitation', -3, 'months', 'RESPONSIBLE_ATTORNEY'),
      on('Complete the evidence', 'limitation', -30, 'workingDays', 'RESPONSIBLE_STAFF'),
      on('Draft the claim', 'limitation', -20, 'workingDays', 'RESPONSIBLE_ATTORNEY'),
      on('File the claim', 'limitation', -10, 'workingDays', 'RESPONSIBLE_ATTORNEY'),
      on('Check that the claim is filed', 'limitation', -5, 'workingDays', 'ORIGINATING_ATTORNEY'),
    ],
  },
  {
    name: 'Closing a matter',
    lines: [
      on('Send the final bill', 'applied', 3, 'workingDays', 'RESPONSIBLE_STAFF'),
      on('Return the client’s documents', 'applied', 5, 'workingDays', 'RESPONSIBLE_STAFF'),
      on('Write the closing letter', 'applied', 5, 'workingDays', 'RESPONSIBLE_ATTORNEY'),
      on('Close the file', 'applied', 2, 'weeks', null),
    ],
  },
];
