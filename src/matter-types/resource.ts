import { resource, usualBodyLimitBytes } from '../record/resource.ts';
import {
  createMatterType,
  listMatterTypes,
  readMatterType,
  removeMatterType,
  updateMatterType,
} from './matter-type.ts';
import { matterType } from './table.ts';
import {
  examples,
  matterTypeChange,
  matterTypeListParameters,
  matterTypeRow,
  newMatterType,
} from './wire.ts';

export const matterTypes = resource({
  name: 'matter-types',
  noun: 'matter type',
  description: 'Kinds of matter, each within one practice area.',
  shapes: {
    row: matterTypeRow,
    full: matterTypeRow,
    create: newMatterType,
    update: matterTypeChange,
  },
  listParameters: matterTypeListParameters,
  examples,
  told: { table: matterType, as: { practiceAreaId: 'practiceArea' } },
  refusals: { list: ['not_found'], create: ['not_found'], update: [] },
  bodyLimitBytes: usualBodyLimitBytes,
  list: (reader, page, { practiceAreaId = '' }) =>
    listMatterTypes(reader, page, { practiceAreaId }),
  read: readMatterType,
  create: createMatterType,
  update: updateMatterType,
  remove: removeMatterType,
});
