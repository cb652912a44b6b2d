import { t } from 'elysia';
import {
  answerOf,
  bodyOf,
  calendarDate,
  idOut,
  idText,
  momentText,
  nameOut,
  nullable,
  numberBetween,
  oneOf,
  published,
  reference,
  text,
  textOut,
} from '../base/shapes.ts';
import { limits as contactLimits } from '../contacts/wire.ts';
import { customFieldsIn, customFieldsOut } from '../custom-fields/wire.ts';
import { matterStatuses, teamRoles } from './table.ts';

/** Every limit of a matter (docs/contract.md, Limits). A description has none but the body's. */
export const limits = {
  title: 255,
  clients: 50,
  team: 50,
  allocation: { minimum: 0, maximum: 100 },
};

export const untitled = 'Untitled matter';

const teamEntry = bodyOf('NewTeamEntry', {
  memberId: idText("The firm member's id."),
  role: t.Optional(oneOf(teamRoles)),
  allocation: t.Optional(numberBetween(limits.allocation, 'Percentage; 0 when left out.')),
});

/** A matter's team alone, as the application sends it. */
export const teamEntries = bodyOf('TeamEntries', {
  team: t.Array(teamEntry, { maxItems: limits.team }),
});

/** What people call a matter's fields: on pages, in files, and in why a row of a file is refused. */
export const matterLabels = {
  title: 'Title',
  description: 'Description',
  formerNumber: 'Former number',
  practiceArea: 'Practice area',
  stage: 'Stage',
  matterType: 'Type',
  status: 'Status',
  openDate: 'Opened',
  closeDate: 'Closed',
  solDate: 'Limitation date',
} as const;

export const newMatter = bodyOf('NewMatter', {
  practiceAreaId: idText(),
  openDate: calendarDate(),
  practiceAreaStageColumnId: t.Optional(
    idText("The starting stage; the practice area's first one when left out."),
  ),
  title: t.Optional(text(limits.title, `\`${untitled}\` when left out or empty.`)),
  description: t.Optional(text(undefined, 'Free-text notes, kept as sent.')),
  closeDate: t.Optional(calendarDate()),
  solDate: t.Optional(calendarDate('Statute-of-limitations date.')),
  status: t.Optional(oneOf(['ACTIVE', 'DRAFT'])),
  clientContactIds: t.Optional(
    t.Array(text(), {
      maxItems: limits.clients,
      description: 'The first becomes primary client and bill recipient.',
    }),
  ),
  team: t.Optional(t.Array(teamEntry, { maxItems: limits.team })),
  customFields: t.Optional(customFieldsIn()),
});

export const matterChange = bodyOf('MatterChange', {
  title: t.Optional(text(limits.title)),
  description: t.Optional(nullable(text())),
  practiceAreaId: t.Optional(
    idText('To move to another practice area, send practiceAreaStageColumnId with it.'),
  ),
  practiceAreaStageColumnId: t.Optional(idText()),
  openDate: t.Optional(calendarDate()),
  closeDate: t.Optional(nullable(calendarDate())),
  solDate: t.Optional(nullable(calendarDate())),
  status: t.Optional(oneOf(matterStatuses)),
  customFields: t.Optional(customFieldsIn()),
});

const rowFields = () => ({
  id: idOut(),
  publicId: nameOut("The matter's number."),
  title: textOut(limits.title),
  description: nullable(t.String()),
  status: oneOf(matterStatuses),
  openDate: nullable(calendarDate()),
  closeDate: nullable(calendarDate()),
  solDate: nullable(calendarDate()),
  practiceArea: nullable(reference()),
  stage: nullable(reference()),
  clients: t.Array(
    answerOf('MatterClient', {
      contactId: idOut(),
      name: textOut(contactLimits.wholeName),
      isPrimary: t.Boolean(),
      isBillRecipient: t.Boolean(),
    }),
    published({ maxItems: limits.clients }),
  ),
  team: t.Array(
    answerOf('TeamEntry', {
      memberId: idOut(),
      role: oneOf(teamRoles),
      allocation: t.Number({ description: 'Percentage.', ...published(limits.allocation) }),
      name: nameOut(),
    }),
    published({ maxItems: limits.team }),
  ),
  createdAt: momentText(),
  updatedAt: momentText(),
});

export const matterRow = answerOf('Matter', rowFields());
export const matterFull = answerOf('MatterDetail', { ...rowFields(), ...customFieldsOut() });

export type MatterRow = typeof matterRow.static;
export type MatterFull = typeof matterFull.static;
export type NewMatter = typeof newMatter.static;
export type MatterChange = typeof matterChange.static;

/** For the API description. */
export const examples = {
  create: {
    practiceAreaId: '019f0000-0000-7000-8000-000000000005',
    openDate: '2026-03-14',
    title: 'Quill v. Rook',
    solDate: '2028-03-14',
    clientContactIds: ['019f0000-0000-7000-8000-000000000001'],
    team: [{ memberId: '019f0000-0000-7000-8000-000000000009', allocation: 60 }],
  } satisfies NewMatter,
  update: { status: 'ARCHIVE', closeDate: '2026-12-24', solDate: null } satisfies MatterChange,
  full: {
    id: '019f0000-0000-7000-8000-00000000000a',
    publicId: 'M-2026-0001',
    title: 'Quill v. Rook',
    description: null,
    status: 'ACTIVE',
    openDate: '2026-03-14',
    closeDate: null,
    solDate: '2028-03-14',
    practiceArea: { id: '019f0000-0000-7000-8000-000000000005', name: 'Family' },
    stage: { id: '019f0000-0000-7000-8000-000000000006', name: 'Intake' },
    clients: [
      {
        contactId: '019f0000-0000-7000-8000-000000000001',
        name: 'Quill & Co.',
        isPrimary: true,
        isBillRecipient: true,
      },
    ],
    team: [
      {
        memberId: '019f0000-0000-7000-8000-000000000009',
        role: 'RESPONSIBLE_ATTORNEY',
        allocation: 60,
        name: 'Ada Harrow',
      },
    ],
    createdAt: '2026-03-14T09:26:53.589Z',
    updatedAt: '2026-03-14T09:26:53.589Z',
    customFields: {},
    unsupportedCustomFields: [],
  } satisfies MatterFull,
};
