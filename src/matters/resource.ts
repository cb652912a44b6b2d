import { resource } from '../record/resource.ts';
import { listMatters, readMatter } from './list.ts';
import { createMatter, removeMatter, updateMatter } from './matter.ts';
import { matter } from './table.ts';
import { examples, matterChange, matterFull, matterRow, newMatter } from './wire.ts';

const bodyLimitBytes = 16 * 1024 * 1024;

export const matters = resource({
  name: 'matters',
  noun: 'matter',
  description: "The firm's cases and engagements, each with its clients and its team.",
  shapes: { row: matterRow, full: matterFull, create: newMatter, update: matterChange },
  examples,
  told: {
    table: matter,
    as: { number: 'publicId', practiceAreaId: 'practiceArea', stageId: 'stage' },
    statuses: { ARCHIVE: 'archived' },
  },
  refusals: {
    create: ['not_found', 'not_configured', 'invalid_custom_field'],
    update: ['invalid_custom_field'],
  },
  // A description has no limit of its own (docs/contract.md, Limits).
  bodyLimitBytes,
  list: listMatters,
  read: readMatter,
  create: createMatter,
  update: updateMatter,
  remove: removeMatter,
});
