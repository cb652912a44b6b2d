import { t } from 'elysia';
import {
  answerOf,
  bodyOf,
  calendarDate,
  idText,
  momentText,
  nullable,
  numberBetween,
  oneOf,
  reference,
  text,
} from '../base/shapes.ts';
import { customFieldsIn, customFieldsOut } from '../custom-fields/wire.ts';
import { matterStatuses, teamRoles } from './table.ts';

/** Every limit of a matter (public-api.md, Limits). A description has none but the body's. */
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
  id: t.String(),
  publicId: t.String({ description: "The matter's number." }),
  title: t.String(),
  description: nullable(t.String()),
  status: oneOf(matterStatuses),
  openDate: nullable(calendarDate()),
  closeDate: nullable(calendarDate()),
  solDate: nullable(calendarDate()),
  practiceArea: nullable(reference()),
  stage: nullable(reference()),
  clients: t.Array(
    answerOf('MatterClient', {
      contactId: t.String(),
      name: t.String(),
      isPrimary: t.Boolean(),
      isBillRecipient: t.Boolean(),
    }),
  ),
  team: t.Array(
    answerOf('TeamEntry', {
      memberId: t.String(),
      role: oneOf(teamRoles),
      allocation: t.Number({ description: 'Percentage.' }),
      name: t.String(),
    }),
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
