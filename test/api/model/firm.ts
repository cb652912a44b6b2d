/** A firm in memory, kept as the contract says: what is stored, and how it must be shown. */

export type Kind = 'contacts' | 'leads' | 'matters' | 'practice-areas' | 'matter-types';
export const kinds: Kind[] = ['contacts', 'leads', 'matters', 'practice-areas', 'matter-types'];

/** What every record has; the server's own marks are taken over from its answers. */
type Stored = { id: string; createdAt: string; updatedAt: string; isDeleted: boolean };

export type Values = Record<string, unknown>;
export type Stage = { id: string; name: string };
export type Contact = Stored & {
  parts: Values;
  emails: object[];
  phones: object[];
  values: Values;
};
export type Area = Stored & { name: string; stages: Stage[] };
export type Type = Stored & { name: string; area: Area };
export type Lead = Stored & {
  number: string;
  value: string | null;
  isPrivate: boolean;
  stageId: string;
  contact: Contact;
  area: Area | null;
  assignees: Set<string>;
  values: Values;
};
export type Matter = Stored & {
  number: string;
  plain: Record<'title' | 'status' | 'openDate', string> &
    Record<'description' | 'closeDate' | 'solDate', string | null>;
  area: Area;
  stage: Stage;
  clients: Contact[];
  team: object[];
  values: Values;
};

export type Field = { id: string; name: string; type: string; options: string[] };
export type Member = { id: string; name: string; isOwner: boolean };
/** The record itself, since its id is known only once the server has answered. */
export type AuditLine = [action: string, recordKind: string, record: { id: string }];

export type ModelFirm = {
  members: Member[];
  leadStages: Stage[];
  fields: Record<'CONTACT' | 'MATTER' | 'LEAD', Field[]>;
  // All that were ever made, oldest first.
  contacts: Contact[];
  leads: Lead[];
  matters: Matter[];
  'practice-areas': Area[];
  'matter-types': Type[];
  audit: AuditLine[];
};

export type AnyRecord = Contact | Lead | Matter | Area | Type;

/** Whether a contact is or was the client of a matter, deleted or not. */
export const isClient = (firm: ModelFirm, contact: Contact): boolean =>
  firm.matters.some(({ clients }) => clients.includes(contact));

/** The lead that a contact came with, if it is private and the contact is not a client. */
export const hidingLead = (firm: ModelFirm, contact: Contact): Lead | undefined =>
  isClient(firm, contact)
    ? undefined
    : firm.leads.find((lead) => lead.contact === contact && lead.isPrivate);

/** Whether a member may see a record: it is not private, they are an owner or an assignee. */
const isSeen = (firm: ModelFirm, kind: Kind, record: AnyRecord, member: Member): boolean => {
  const lead =
    kind === 'contacts'
      ? hidingLead(firm, record as Contact)
      : kind === 'leads' && (record as Lead).isPrivate
        ? (record as Lead)
        : undefined;
  return !lead || member.isOwner || lead.assignees.has(member.id);
};

/** The records of a kind that are not deleted and that a member may see. */
export const visible = (firm: ModelFirm, kind: Kind, member: Member): AnyRecord[] =>
  (firm[kind] as AnyRecord[]).filter((one) => !one.isDeleted && isSeen(firm, kind, one, member));

export const nameParts = [
  ...['prefix', 'firstName', 'middleName', 'lastName', 'suffix', 'nickname'],
  ...['companyName', 'tradeName', 'companyType'],
];

/** What a contact is called. */
export const nameOf = ({ type, firstName, middleName, lastName, companyName }: Values) =>
  type === 'COMPANY'
    ? companyName
    : [firstName, middleName, lastName].filter((part) => part !== null).join(' ');

const refer = (to: Area | null) => (to ? { id: to.id, name: to.name } : null);

const rowOf: { [Name in Kind]: (record: never) => Values } = {
  contacts: ({ parts, emails, phones }: Contact) => ({
    ...parts,
    name: nameOf(parts),
    emails,
    phones,
  }),
  leads: (lead: Lead) => ({
    publicId: lead.number,
    status: 'ACTIVE',
    value: lead.value,
    isPrivate: lead.isPrivate,
    leadStageColumnId: lead.stageId,
    contact: lead.contact.isDeleted
      ? null
      : { id: lead.contact.id, name: nameOf(lead.contact.parts) },
    practiceArea: refer(lead.area),
  }),
  matters: (matter: Matter) => ({
    publicId: matter.number,
    ...matter.plain,
    practiceArea: refer(matter.area),
    stage: { id: matter.stage.id, name: matter.stage.name },
    clients: matter.clients.map(({ id, parts }, index) => ({
      contactId: id,
      name: nameOf(parts),
      isPrimary: index === 0,
      isBillRecipient: index === 0,
    })),
    team: matter.team,
  }),
  'practice-areas': ({ name }: Area) => ({ name }),
  'matter-types': ({ name, area }: Type) => ({ name, practiceArea: refer(area) }),
};

/** A record as a list shows it. */
export const row = (kind: Kind, record: AnyRecord): Values => ({
  id: record.id,
  ...rowOf[kind](record as never),
  createdAt: record.createdAt,
  updatedAt: record.updatedAt,
});

const holders = { contacts: 'CONTACT', leads: 'LEAD', matters: 'MATTER' } as const;

/** The firm's custom fields on a kind of record. */
export const fieldsOn = (firm: ModelFirm, kind: Kind): Field[] =>
  kind in holders ? firm.fields[holders[kind as keyof typeof holders]] : [];

/** A record by itself. */
export const full = (firm: ModelFirm, kind: Kind, record: AnyRecord): Values => {
  if (kind === 'matter-types') return row(kind, record);
  if (kind === 'practice-areas') {
    return {
      ...row(kind, record),
      stages: (record as Area).stages.map(({ id, name }) => ({ id, name })),
    };
  }
  const fields = fieldsOn(firm, kind);
  const { values } = record as Contact;
  return {
    ...row(kind, record),
    customFields: Object.fromEntries(
      fields.filter(({ type }) => type !== 'FILE').map(({ name }) => [name, values[name] ?? null]),
    ),
    unsupportedCustomFields: fields
      .filter(({ type }) => type === 'FILE')
      .map(({ id, name, type }) => ({ id, name, type })),
  };
};
