import { resource, usualBodyLimitBytes } from '../record/resource.ts';
import { listPracticeAreas, readPracticeArea } from './list.ts';
import { createPracticeArea, removePracticeArea, updatePracticeArea } from './practice-area.ts';
import { practiceArea } from './table.ts';
import {
  examples,
  newPracticeArea,
  practiceAreaChange,
  practiceAreaFull,
  practiceAreaRow,
} from './wire.ts';

export const practiceAreas = resource({
  name: 'practice-areas',
  noun: 'practice area',
  description: 'The fields of law the firm works in, each with the stages of its board.',
  shapes: {
    row: practiceAreaRow,
    full: practiceAreaFull,
    create: newPracticeArea,
    update: practiceAreaChange,
  },
  examples,
  told: { table: practiceArea },
  refusals: { create: [], update: ['conflict'] },
  bodyLimitBytes: usualBodyLimitBytes,
  list: listPracticeAreas,
  read: readPracticeArea,
  create: createPracticeArea,
  update: updatePracticeArea,
  remove: removePracticeArea,
});
