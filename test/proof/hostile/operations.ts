/** Every operation of the API description, and right bodies for it: what the mutations start from. */
import { openApiDocument } from '../../../src/api/document.ts';
import { days } from '../../api/corpus/dates.ts';
import { hostileTexts } from '../../api/corpus/texts.ts';
import type { chanceOf } from '../../support/random.ts';

export type Chance = ReturnType<typeof chanceOf>;

export type Operation = {
  /** As the description has it: `/v1/leads/{id}`. */
  path: string;
  method: string;
  /** `leads`. */
  kind: string;
  body: Schema | undefined;
  parameters: { name: string; in: string; schema: Schema }[];
};

type Schema = {
  $ref?: string;
  type?: string | string[];
  anyOf?: Schema[];
  properties?: Record<string, Schema>;
  items?: Schema;
  required?: string[];
  enum?: (string | null)[];
  format?: string;
  maxLength?: number;
  minimum?: number;
  maximum?: number;
};

type Document = {
  paths: Record<
    string,
    Record<
      string,
      {
        requestBody?: { content: Record<string, { schema: Schema }> };
        parameters?: Operation['parameters'];
      }
    >
  >;
  components: { schemas: Record<string, Schema> };
};

const document = (await openApiDocument()) as Document;

export const operations: Operation[] = Object.entries(document.paths).flatMap(([path, methods]) =>
  Object.entries(methods).map(([method, { requestBody, parameters }]) => ({
    path,
    method: method.toUpperCase(),
    kind: path.split('/')[2] ?? '',
    body: requestBody?.content['application/json']?.schema,
    parameters: parameters ?? [],
  })),
);

/** Where the ids that a field takes come from. */
const kindOfReference: Record<string, string> = {
  practiceAreaId: 'practice-areas',
  matterTypeId: 'matter-types',
  leadStageColumnId: 'lead-stages',
  practiceAreaStageColumnId: 'stages',
  clientContactIds: 'contacts',
  memberId: 'members',
  id: 'stages',
};

export type Ids = (kind: string) => string;

/**
 * A value that a schema accepts; for a record's id, one of `idOf`. Every text contains `marker`.
 */
export const rightValue = (
  schema: Schema,
  name: string,
  chance: Chance,
  idOf: Ids,
  marker: string,
): unknown => {
  const of = (one: Schema, within = name) => rightValue(one, within, chance, idOf, marker);
  if (schema.$ref) return of(document.components.schemas[schema.$ref.split('/').pop() ?? ''] ?? {});
  if (schema.anyOf) return of(chance.among(schema.anyOf));
  if (schema.enum) return chance.among(schema.enum);
  switch (Array.isArray(schema.type) ? chance.among(schema.type) : schema.type) {
    case 'string':
      if (kindOfReference[name]) return idOf(kindOfReference[name]);
      if (schema.format === 'date') return chance.among(days);
      return `${marker} ${chance.happens(0.3) ? chance.among(hostileTexts) : 'Quill'}`;
    case 'integer':
    case 'number':
      return chance.from(schema.minimum ?? -100, schema.maximum ?? 100);
    case 'boolean':
      return chance.happens(0.5);
    case 'array':
      return Array.from({ length: chance.from(0, 3) }, () => of(schema.items ?? {}));
    case 'object':
      if (name === 'customFields') return { [`TEXT ${marker}`]: `${marker} value` };
      return Object.fromEntries(
        Object.entries(schema.properties ?? {})
          .filter(([key]) => schema.required?.includes(key) || chance.happens(0.5))
          .map(([key, one]) => [key, of(one, key)]),
      );
    default:
      return null;
  }
};
