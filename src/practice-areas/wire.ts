import { t } from 'elysia';
import {
  answerOf,
  bodyOf,
  idOut,
  idText,
  momentText,
  nameOut,
  nonEmptyText,
} from '../base/shapes.ts';

/** Every limit of a practice area (docs/contract.md, Records). */
export const limits = { name: 255, stages: 100 };

const rowFields = () => ({
  id: idOut(),
  name: nameOut(),
  createdAt: momentText(),
  updatedAt: momentText(),
});

export const practiceAreaRow = answerOf('PracticeArea', rowFields());

export const practiceAreaFull = answerOf('PracticeAreaDetail', {
  ...rowFields(),
  stages: t.Array(answerOf('Stage', { id: idOut(), name: nameOut() }), {
    description: 'The stages of its board, in order.',
  }),
});

export const newPracticeArea = bodyOf('NewPracticeArea', {
  name: nonEmptyText(limits.name),
  stages: t.Optional(
    t.Array(bodyOf('NewStage', { name: nonEmptyText(limits.name) }), { maxItems: limits.stages }),
  ),
});

export const practiceAreaChange = bodyOf('PracticeAreaChange', {
  name: t.Optional(nonEmptyText(limits.name)),
  stages: t.Optional(
    t.Array(
      bodyOf('StageChange', {
        id: t.Optional(idText('A stage that stays keeps its id; without one the stage is new.')),
        name: nonEmptyText(limits.name),
      }),
      { maxItems: limits.stages, description: 'The whole new list, in order.' },
    ),
  ),
});

export type PracticeAreaRow = typeof practiceAreaRow.static;
export type PracticeAreaFull = typeof practiceAreaFull.static;
export type NewPracticeArea = typeof newPracticeArea.static;
export type PracticeAreaChange = typeof practiceAreaChange.static;

/** For the API description. */
export const examples = {
  create: {
    name: 'Family',
    stages: [{ name: 'Intake' }, { name: 'Filed' }],
  } satisfies NewPracticeArea,
  update: { name: 'Family law' } satisfies PracticeAreaChange,
  full: {
    id: '019f0000-0000-7000-8000-000000000005',
    name: 'Family',
    createdAt: '2026-03-14T09:26:53.589Z',
    updatedAt: '2026-03-14T09:26:53.589Z',
    stages: [
      { id: '019f0000-0000-7000-8000-000000000006', name: 'Intake' },
      { id: '019f0000-0000-7000-8000-000000000007', name: 'Filed' },
    ],
  } satisfies PracticeAreaFull,
};
