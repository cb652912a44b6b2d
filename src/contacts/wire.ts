import { t } from 'elysia';
import {
  answerOf,
  bodyOf,
  filledText,
  idOut,
  longestName,
  momentText,
  nullable,
  oneOf,
  published,
  text,
  textOut,
} from '../base/shapes.ts';
import { customFieldsIn, customFieldsOut } from '../custom-fields/wire.ts';
import { externalIdIn, externalIdOut } from './external-id.ts';

/**
 * Every limit of a contact. A lead's name fields have the same limits (docs/contract.md, Limits).
 */
export const limits = {
  name: 128,
  affix: 32,
  company: 255,
  companyType: 64,
  address: 255,
  label: 32,
  addresses: 20,
  /** First, middle and last name, joined. */
  wholeName: longestName,
};

export const contactTypes = ['PERSON', 'COMPANY'] as const;

const nameShapes = {
  prefix: text(limits.affix),
  firstName: text(limits.name),
  middleName: text(limits.name),
  lastName: text(limits.name),
  suffix: text(limits.affix),
  nickname: text(limits.name),
  companyName: text(limits.company),
  tradeName: text(limits.company),
  companyType: text(limits.companyType),
};

/** The parts of a contact's name, in the order of the answer. */
export const nameFields = Object.keys(nameShapes) as (keyof typeof nameShapes)[];

/** What people call a contact's fields: on pages, in files, and in why a row of a file is refused. */
export const contactLabels = {
  prefix: 'Title',
  firstName: 'First name',
  middleName: 'Middle name',
  lastName: 'Last name',
  suffix: 'Suffix',
  nickname: 'Preferred name',
  companyName: 'Company',
  tradeName: 'Trades as',
  companyType: 'Kind of company',
  emails: 'Email',
  phones: 'Phone',
} as const satisfies Record<keyof typeof nameShapes | 'emails' | 'phones', string>;

/** The parts of a person's or company's name in a new contact or lead, all optional. */
export const newNameFields = () => ({
  type: t.Optional(oneOf(contactTypes)),
  prefix: t.Optional(nameShapes.prefix),
  firstName: t.Optional(text(limits.name, personNeeds)),
  middleName: t.Optional(nameShapes.middleName),
  lastName: t.Optional(text(limits.name, personNeeds)),
  suffix: t.Optional(nameShapes.suffix),
  nickname: t.Optional(nameShapes.nickname),
  companyName: t.Optional(text(limits.company, 'A COMPANY needs it.')),
  tradeName: t.Optional(nameShapes.tradeName),
  companyType: t.Optional(nameShapes.companyType),
});

const filled = { type: 'string', ...published({ minLength: 1, pattern: '\\S' })['x-published'] };

const needs = (type: 'PERSON' | 'COMPANY', ...required: string[]) => ({
  required,
  properties: {
    type: { type: 'string', enum: [type] },
    [required.at(-1) ?? '']: filled,
  },
});

/** Which names a new contact or lead must have, as the API description says it. */
export const neededNames = published({
  anyOf: [
    needs('PERSON', 'firstName'),
    needs('PERSON', 'lastName'),
    needs('COMPANY', 'type', 'companyName'),
  ],
});

const personNeeds = 'A PERSON, the default type, needs firstName or lastName.';

const label = t.Optional(nullable(text(limits.label)));
const isPrimary = t.Optional(t.Boolean());

/** Strings or objects. The list that is sent replaces the stored one. */
const addressesIn = () => ({
  emails: t.Optional(
    t.Array(
      t.Union([
        filledText(limits.address),
        bodyOf('NewEmail', { address: filledText(limits.address), label, isPrimary }),
      ]),
      { maxItems: limits.addresses },
    ),
  ),
  phones: t.Optional(
    t.Array(
      t.Union([
        filledText(limits.address),
        bodyOf('NewPhone', { number: filledText(limits.address), label, isPrimary }),
      ]),
      { maxItems: limits.addresses },
    ),
  ),
});

export const newContact = bodyOf(
  'NewContact',
  {
    ...newNameFields(),
    ...addressesIn(),
    externalId: externalIdIn(),
    customFields: t.Optional(customFieldsIn()),
  },
  neededNames,
);

export const contactChange = bodyOf('ContactChange', {
  type: t.Optional(oneOf(contactTypes)),
  prefix: t.Optional(nullable(nameShapes.prefix)),
  firstName: t.Optional(nullable(nameShapes.firstName)),
  middleName: t.Optional(nullable(nameShapes.middleName)),
  lastName: t.Optional(nullable(nameShapes.lastName)),
  suffix: t.Optional(nullable(nameShapes.suffix)),
  nickname: t.Optional(nullable(nameShapes.nickname)),
  companyName: t.Optional(nullable(nameShapes.companyName)),
  tradeName: t.Optional(nullable(nameShapes.tradeName)),
  companyType: t.Optional(nullable(nameShapes.companyType)),
  ...addressesIn(),
  customFields: t.Optional(customFieldsIn()),
});

/** The addresses and numbers of a contact, in an answer. */
export const addressesOut = () => ({
  emails: t.Array(
    answerOf('Email', {
      address: textOut(limits.address),
      label: nullable(textOut(limits.label)),
      isPrimary: t.Boolean(),
    }),
    published({ maxItems: limits.addresses }),
  ),
  phones: t.Array(
    answerOf('Phone', {
      number: textOut(limits.address),
      label: nullable(textOut(limits.label)),
      isPrimary: t.Boolean(),
    }),
    published({ maxItems: limits.addresses }),
  ),
});

const rowFields = () => ({
  id: idOut(),
  type: oneOf(contactTypes),
  name: textOut(limits.wholeName),
  prefix: nullable(textOut(limits.affix)),
  firstName: nullable(textOut(limits.name)),
  middleName: nullable(textOut(limits.name)),
  lastName: nullable(textOut(limits.name)),
  suffix: nullable(textOut(limits.affix)),
  nickname: nullable(textOut(limits.name)),
  companyName: nullable(textOut(limits.company)),
  tradeName: nullable(textOut(limits.company)),
  companyType: nullable(textOut(limits.companyType)),
  ...addressesOut(),
  externalId: externalIdOut(),
  createdAt: momentText(),
  updatedAt: momentText(),
});

export const contactRow = answerOf('Contact', rowFields());
export const contactFull = answerOf('ContactDetail', { ...rowFields(), ...customFieldsOut() });

export type ContactRow = typeof contactRow.static;
export type ContactFull = typeof contactFull.static;
export type NewContact = typeof newContact.static;
export type ContactChange = typeof contactChange.static;

/** For the API description. */
export const examples = {
  create: {
    type: 'COMPANY',
    companyName: 'Quill & Co.',
    emails: ['office@quill.example', { address: 'bills@quill.example', label: 'Bills' }],
    phones: ['+1 555 0100'],
  } satisfies NewContact,
  update: { tradeName: 'Quill', phones: [] } satisfies ContactChange,
  full: {
    id: '019f0000-0000-7000-8000-000000000001',
    type: 'COMPANY',
    name: 'Quill & Co.',
    prefix: null,
    firstName: null,
    middleName: null,
    lastName: null,
    suffix: null,
    nickname: null,
    companyName: 'Quill & Co.',
    tradeName: null,
    companyType: null,
    emails: [
      { address: 'office@quill.example', label: null, isPrimary: true },
      { address: 'bills@quill.example', label: 'Bills', isPrimary: false },
    ],
    phones: [{ number: '+1 555 0100', label: null, isPrimary: true }],
    createdAt: '2026-03-14T09:26:53.589Z',
    updatedAt: '2026-03-14T09:26:53.589Z',
    customFields: { 'Preferred language': null },
    unsupportedCustomFields: [],
  } satisfies ContactFull,
};
