import { t } from 'elysia';
import { answerOf, idOut, nameOut, oneOf, published } from '../base/shapes.ts';
import { type CustomValue, customFieldHolders, customFieldTypes } from './table.ts';

/** How long a text in a custom field may be. LONG_TEXT is limited only by the body. */
export const longestText = 4_096;
/** How many labels a MULTI_SELECT may hold. */
export const maxLabels = 100;
/** How many labels a SELECT or a MULTI_SELECT may offer. */
export const maxOptions = 1_000;

const lists =
  'A CONTACT field takes an id from GET /v1/contacts, a MATTER field one from GET /v1/matters.';

const ids =
  'The value of a CONTACT field is an id of GET /v1/contacts, of a MATTER field one of GET /v1/matters.';

/** The `customFields` of a body: names to values. The firm's fields decide what may be written. */
export const customFieldsIn = () =>
  t.Record(t.String(), t.Unknown(), {
    description: `Custom field values by field name. ${lists} Merged key by key on update; null clears one.`,
  });

/** The two custom field properties of every single answer (docs/contract.md, Shared rules). */
export const customFieldsOut = () => ({
  customFields: t.Record(t.String(), t.Unsafe<CustomValue | null>(t.Unknown()), {
    description: `Every custom field the API can carry, by name; null where unset. ${ids}`,
  }),
  unsupportedCustomFields: t.Array(
    answerOf('UnsupportedCustomField', {
      id: idOut(),
      name: nameOut(),
      type: oneOf(customFieldTypes),
    }),
    { description: 'Fields that exist on the record and that the API cannot carry.' },
  ),
});

/** A definition, as GET /v1/custom-fields shows it. */
export const customFieldRow = answerOf('CustomField', {
  id: idOut(),
  name: nameOut('The key of its value in `customFields`.'),
  appliesTo: oneOf(customFieldHolders),
  type: { ...oneOf(customFieldTypes), description: `What its values are. ${lists}` },
  options: t.Array(nameOut(), {
    description: 'The labels of a SELECT or MULTI_SELECT.',
    ...published({ maxItems: maxOptions }),
  }),
  isWritable: t.Boolean({ description: 'Whether the API can carry its values.' }),
});
