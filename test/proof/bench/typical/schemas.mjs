/** What the typical server accepts and sends, as JSON schemas: Fastify compiles them at the start. */
const text = (maxLength) => ({ type: 'string', ...(maxLength && { maxLength }) });
const nullable = (schema) => ({ ...schema, nullable: true });
const object = (properties, required = []) => ({ type: 'object', properties, required });
const named = nullable(object({ id: text(), name: text() }));
const values = ['LOWEST', 'LOW', 'MEDIUM', 'HIGH', 'HIGHEST'];
const customFields = { type: 'object', additionalProperties: true };
const day = { type: 'string', format: 'date' };

export const leadBody = object({
  type: { enum: ['PERSON', 'COMPANY'], default: 'PERSON' },
  firstName: text(128),
  lastName: text(128),
  companyName: text(255),
  email: text(255),
  phone: text(255),
  practiceAreaId: text(),
  leadStageColumnId: text(),
  value: { enum: values },
  isPrivate: { type: 'boolean', default: false },
  customFields,
});

export const leadChange = object({
  value: { enum: [...values, null] },
  isPrivate: { type: 'boolean' },
  leadStageColumnId: text(),
});

const leadRow = {
  id: text(),
  publicId: text(),
  status: text(),
  value: nullable(text()),
  isPrivate: { type: 'boolean' },
  leadStageColumnId: text(),
  contact: named,
  practiceArea: named,
  createdAt: text(),
  updatedAt: text(),
};

const custom = { customFields, unsupportedCustomFields: { type: 'array' } };

export const leadFull = object({ data: object({ ...leadRow, ...custom }) });

export const leadPage = object({
  data: { type: 'array', items: object(leadRow) },
  pagination: object({
    limit: { type: 'integer' },
    offset: { type: 'integer' },
    total: { type: 'integer' },
  }),
});

export const matterBody = object(
  {
    practiceAreaId: text(),
    openDate: day,
    title: text(255),
    description: text(),
    clientContactIds: { type: 'array', maxItems: 50, items: text(), default: [] },
    team: {
      type: 'array',
      maxItems: 50,
      default: [],
      items: object(
        {
          memberId: text(),
          role: {
            enum: ['ORIGINATING_ATTORNEY', 'RESPONSIBLE_ATTORNEY', 'RESPONSIBLE_STAFF'],
            default: 'RESPONSIBLE_ATTORNEY',
          },
          allocation: { type: 'number', minimum: 0, maximum: 100, default: 0 },
        },
        ['memberId'],
      ),
    },
    customFields,
  },
  ['practiceAreaId', 'openDate'],
);

export const matterFull = object({
  data: object({
    id: text(),
    publicId: text(),
    title: text(),
    description: nullable(text()),
    status: text(),
    openDate: nullable(text()),
    closeDate: nullable(text()),
    solDate: nullable(text()),
    practiceArea: named,
    stage: named,
    clients: {
      type: 'array',
      items: object({
        contactId: text(),
        name: text(),
        isPrimary: { type: 'boolean' },
        isBillRecipient: { type: 'boolean' },
      }),
    },
    team: {
      type: 'array',
      items: object({
        memberId: text(),
        role: text(),
        allocation: { type: 'number' },
        name: text(),
      }),
    },
    createdAt: text(),
    updatedAt: text(),
    ...custom,
  }),
});
