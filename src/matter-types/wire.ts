import { t } from 'elysia';
import {
  answerOf,
  bodyOf,
  idOut,
  idText,
  momentText,
  nameOut,
  nonEmptyText,
  reference,
  text,
  withSample,
} from '../base/shapes.ts';

/** Every limit of a matter type (docs/contract.md, Records). */
export const limits = { name: 255 };

export const matterTypeRow = answerOf('MatterType', {
  id: idOut(),
  name: nameOut(),
  practiceArea: reference(),
  createdAt: momentText(),
  updatedAt: momentText(),
});

export const newMatterType = bodyOf('NewMatterType', {
  practiceAreaId: idText('Fixed at creation.'),
  name: nonEmptyText(limits.name),
});

export const matterTypeChange = bodyOf('MatterTypeChange', {
  name: t.Optional(nonEmptyText(limits.name)),
});

/** The list is of one practice area (docs/contract.md, List query parameters). */
export const matterTypeListParameters = {
  practiceAreaId: withSample(
    text(undefined, "The practice area's id."),
    '019f0000-0000-7000-8000-000000000003',
  ),
};

export type MatterTypeRow = typeof matterTypeRow.static;
export type NewMatterType = typeof newMatterType.static;
export type MatterTypeChange = typeof matterTypeChange.static;

/** For the API description. */
export const examples = {
  create: {
    practiceAreaId: '019f0000-0000-7000-8000-000000000005',
    name: 'Divorce',
  } satisfies NewMatterType,
  update: { name: 'Contested divorce' } satisfies MatterTypeChange,
  full: {
    id: '019f0000-0000-7000-8000-000000000008',
    name: 'Divorce',
    practiceArea: { id: '019f0000-0000-7000-8000-000000000005', name: 'Family' },
    createdAt: '2026-03-14T09:26:53.589Z',
    updatedAt: '2026-03-14T09:26:53.589Z',
  } satisfies MatterTypeRow,
};
