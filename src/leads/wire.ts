import { t } from 'elysia';
import {
  answerOf,
  bodyOf,
  dayOrTime,
  idOut,
  idText,
  momentText,
  nameOut,
  nullable,
  oneOf,
  reference,
  text,
  textOut,
} from '../base/shapes.ts';
import { externalIdIn, externalIdOut } from '../contacts/external-id.ts';
import {
  addressesOut,
  limits as contactLimits,
  neededNames,
  newNameFields,
} from '../contacts/wire.ts';
import { customFieldsIn, customFieldsOut } from '../custom-fields/wire.ts';
import { largestPage, limitParameter, listQueryWith } from '../record/page.ts';
import { leadStatuses, leadValues } from './table.ts';

const value = oneOf(leadValues);

/** How long the note may be that comes with a new lead. */
const longestFirstNote = 10_000;

/**
 * What POST /v1/leads takes. The limits of the name fields are the contact's (docs/contract.md,
 * Leads).
 */
export const newLead = bodyOf(
  'NewLead',
  {
    ...newNameFields(),
    email: t.Optional(text(contactLimits.address)),
    phone: t.Optional(text(contactLimits.address)),
    practiceAreaId: t.Optional(idText('The practice area of interest.')),
    leadStageColumnId: t.Optional(
      idText("The starting pipeline stage; the firm's first one when left out."),
    ),
    value: t.Optional(value),
    isPrivate: t.Optional(t.Boolean()),
    externalId: externalIdIn(),
    note: t.Optional(
      text(longestFirstNote, "What the prospect said: the lead's first note. It is not answered."),
    ),
    customFields: t.Optional(customFieldsIn()),
  },
  neededNames,
);

export const leadChange = bodyOf('LeadChange', {
  practiceAreaId: t.Optional(nullable(idText())),
  leadStageColumnId: t.Optional(idText()),
  value: t.Optional(nullable(value)),
  isPrivate: t.Optional(t.Boolean()),
  customFields: t.Optional(customFieldsIn()),
});

/** What the application says of a lead besides: the API has no field for it. */
const nextTouch = () => dayOrTime('When a person means to speak with it again.');

export const newLeadByPeople = bodyOf(
  'NewLeadByPeople',
  { ...newLead.properties, nextTouch: t.Optional(nextTouch()) },
  neededNames,
);

export const leadChangeByPeople = bodyOf('LeadChangeByPeople', {
  ...leadChange.properties,
  nextTouch: t.Optional(nullable(nextTouch())),
});

/**
 * What people call a lead's fields: on pages, in files, and in why a row of a file is refused. A text
 * that is named here, and that a new lead may have, is read from files.
 */
export const leadLabels = {
  practiceArea: 'Practice area',
  stage: 'Stage',
  value: 'Value',
  nextTouch: 'Next step',
  note: 'First note',
} as const;

/** The contact, with its addresses if the caller asked for them. */
const leadContact = () => {
  const { emails, phones } = addressesOut();
  return answerOf('LeadContact', {
    id: idOut(),
    name: textOut(contactLimits.wholeName),
    emails: t.Optional({ ...emails, description: 'Only with `include=contact`.' }),
    phones: t.Optional({ ...phones, description: 'Only with `include=contact`.' }),
  });
};

const rowFields = () => ({
  id: idOut(),
  publicId: nameOut("The lead's number."),
  status: oneOf(leadStatuses),
  value: nullable(value),
  isPrivate: t.Boolean(),
  leadStageColumnId: nullable(idOut()),
  contact: nullable(leadContact()),
  practiceArea: nullable(reference()),
  externalId: externalIdOut(),
  createdAt: momentText(),
  updatedAt: momentText(),
});

export const leadRow = answerOf('Lead', rowFields());
export const leadFull = answerOf('LeadDetail', { ...rowFields(), ...customFieldsOut() });

/** A stage of the intake pipeline, as GET /v1/lead-stages shows it. */
export const leadStageRow = answerOf('LeadStage', { id: idOut(), name: nameOut() });

/** They are few, and were all answered before there were pages: a page holds as many as it can. */
export const leadStageQuery = listQueryWith({
  limit: limitParameter(largestPage),
});

export type LeadRow = typeof leadRow.static;
export type LeadFull = typeof leadFull.static;
export type NewLead = typeof newLead.static;
export type LeadChange = typeof leadChange.static;
export type NewLeadByPeople = typeof newLeadByPeople.static;
export type LeadChangeByPeople = typeof leadChangeByPeople.static;

/** For the API description. */
export const examples = {
  create: {
    firstName: 'Zoe',
    lastName: 'Quill',
    email: 'zoe@quill.example',
    phone: '+1 555 0100',
    value: 'HIGH',
    customFields: { 'Referral source': 'Web' },
  } satisfies NewLead,
  update: { value: null, customFields: { 'Referral source': 'Friend' } } satisfies LeadChange,
  full: {
    id: '019f0000-0000-7000-8000-000000000002',
    publicId: 'L-0001',
    status: 'ACTIVE',
    value: 'HIGH',
    isPrivate: false,
    leadStageColumnId: '019f0000-0000-7000-8000-000000000003',
    contact: { id: '019f0000-0000-7000-8000-000000000004', name: 'Zoe Quill' },
    practiceArea: null,
    createdAt: '2026-03-14T09:26:53.589Z',
    updatedAt: '2026-03-14T09:26:53.589Z',
    customFields: { 'Referral source': 'Web' },
    unsupportedCustomFields: [],
  } satisfies LeadFull,
};
