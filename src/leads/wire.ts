import { t } from 'elysia';
import {
  answerOf,
  bodyOf,
  idText,
  momentText,
  nullable,
  oneOf,
  reference,
  text,
} from '../base/shapes.ts';
import { limits as contactLimits, newNameFields } from '../contacts/wire.ts';
import { customFieldsIn, customFieldsOut } from '../custom-fields/wire.ts';
import { leadStatuses, leadValues } from './table.ts';

const value = oneOf(leadValues);

/** What POST /v1/leads takes; the limits of the name fields are the contact's (public-api.md, Leads). */
export const newLead = bodyOf('NewLead', {
  ...newNameFields(),
  email: t.Optional(text(contactLimits.address)),
  phone: t.Optional(text(contactLimits.address)),
  practiceAreaId: t.Optional(idText('The practice area of interest.')),
  leadStageColumnId: t.Optional(
    idText("The starting pipeline stage; the firm's first one when left out."),
  ),
  value: t.Optional(value),
  isPrivate: t.Optional(t.Boolean()),
  customFields: t.Optional(customFieldsIn()),
});

export const leadChange = bodyOf('LeadChange', {
  practiceAreaId: t.Optional(nullable(idText())),
  leadStageColumnId: t.Optional(idText()),
  value: t.Optional(nullable(value)),
  isPrivate: t.Optional(t.Boolean()),
  customFields: t.Optional(customFieldsIn()),
});

const rowFields = () => ({
  id: t.String(),
  publicId: t.String({ description: "The lead's number." }),
  status: oneOf(leadStatuses),
  value: nullable(value),
  isPrivate: t.Boolean(),
  leadStageColumnId: nullable(t.String()),
  contact: nullable(reference()),
  practiceArea: nullable(reference()),
  createdAt: momentText(),
  updatedAt: momentText(),
});

export const leadRow = answerOf('Lead', rowFields());
export const leadFull = answerOf('LeadDetail', { ...rowFields(), ...customFieldsOut() });

/** A stage of the intake pipeline, as GET /v1/lead-stages shows it. */
export const leadStageRow = answerOf('LeadStage', { id: t.String(), name: t.String() });

export type LeadRow = typeof leadRow.static;
export type LeadFull = typeof leadFull.static;
export type NewLead = typeof newLead.static;
export type LeadChange = typeof leadChange.static;
