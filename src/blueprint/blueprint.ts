import type { TSchema } from '@sinclair/typebox';
import { Value } from '@sinclair/typebox/value';
import { t } from 'elysia';
import { explain, sentenceOf } from '../base/explain.ts';
import { invalid } from '../base/refusal.ts';
import { bodyOf, nonEmptyText, oneOf } from '../base/shapes.ts';
import { isNearName } from '../base/spelling.ts';
import { isPermission, permissions } from '../contents.ts';
import { customFieldTypes } from '../custom-fields/table.ts';
import { isEmailAddress } from '../firm/member.ts';
import { ownerRole } from '../firm/role.ts';
import { timeZoneFrom } from '../firm/time-zone.ts';
import { limits as areaLimits } from '../practice-areas/wire.ts';
import { checkNumberFormat } from '../register/numbering.ts';
import { parseBlueprint } from './text.ts';

const name = nonEmptyText(areaLimits.name);
const names = t.Array(name, { maxItems: 1_000 });

const blueprintShape = bodyOf('Blueprint', {
  name,
  timeZone: t.Optional(name),
  roles: t.Optional(
    t.Array(bodyOf('Role', { name, permissions: t.Array(t.String(), { maxItems: 100 }) }), {
      maxItems: 1_000,
    }),
  ),
  members: t.Array(bodyOf('Member', { email: name, name, role: name }), { maxItems: 10_000 }),
  numbering: t.Optional(bodyOf('Numbering', { lead: t.Optional(name), matter: t.Optional(name) })),
  leadStages: t.Optional(names),
  practiceAreas: t.Optional(
    t.Array(
      bodyOf('PracticeArea', {
        name,
        stages: t.Optional(names),
        matterTypes: t.Optional(names),
        expectsLimitationDate: t.Optional(t.Boolean()),
      }),
      { maxItems: 1_000 },
    ),
  ),
  customFields: t.Optional(
    t.Array(
      bodyOf('CustomField', {
        on: oneOf(['contact', 'matter', 'lead']),
        name,
        type: oneOf(customFieldTypes),
        options: t.Optional(names),
      }),
      { maxItems: 1_000 },
    ),
  ),
  sourceField: t.Optional(name),
});

/** How a firm works, in one document (docs/contract.md, Blueprint). */
export type Blueprint = typeof blueprintShape.static;

/** Reads a blueprint in JSON or YAML. Throws `Refusal` saying which part is wrong and what it takes. */
export const readBlueprint = (text: string): Blueprint => {
  const document = parseBlueprint(text);
  const misspelled = unknownParts(document).find((part) => part.isMisspelled);
  if (misspelled) throw wrong(sentenceOnPart(misspelled));
  const issue = Value.Errors(blueprintShape, document).First();
  if (issue) throw wrong(sentenceOf(explain(issue, 'it')));
  const blueprint = document as Blueprint;
  if (blueprint.timeZone !== undefined) timeZoneFrom(blueprint.timeZone);
  checkRoles(blueprint);
  checkMembers(blueprint);
  for (const kind of ['lead', 'matter'] as const) {
    const format = blueprint.numbering?.[kind];
    if (format !== undefined) checkNumberFormat(`numbering.${kind}`, format);
  }
  checkStagesAndAreas(blueprint);
  checkCustomFields(blueprint);
  return blueprint;
};

const wrong = (what: string) =>
  invalid(`The blueprint is wrong: ${what} Compare it with \`matterhorn firm example\`.`);

/**
 * A part of a document that a blueprint does not have, and a known part with nearly that name. It
 * is misspelled if that part is absent; otherwise it may belong to another program that reads the
 * document too.
 */
type UnknownPart = { path: string; like: string | undefined; isMisspelled: boolean };

/** Parts that a blueprint does not have, in words, so that nobody believes them applied. */
export const unknownPartsOf = (blueprint: Blueprint): string[] =>
  unknownParts(blueprint).map((part) => `${sentenceOnPart(part)} It was ignored.`);

const sentenceOnPart = ({ path, like }: UnknownPart) =>
  `${JSON.stringify(path)} is not part of a blueprint${like ? `; did you mean \`${like}\`?` : '.'}`;

const unknownParts = (document: unknown) => partsBeyond(blueprintShape, document, '');

const partsBeyond = (shape: TSchema, value: unknown, at: string): UnknownPart[] => {
  if (shape.type === 'array' && Array.isArray(value)) {
    return value.flatMap((one, index) => partsBeyond(shape.items, one, `${at}[${index}]`));
  }
  if (shape.type !== 'object' || typeof value !== 'object' || value === null) return [];
  const within = (name: string) => (at ? `${at}.${name}` : name);
  const known = shape.properties as Record<string, TSchema>;
  return Object.entries(value).flatMap(([name, part]) => {
    const partShape = known[name];
    if (partShape) return partsBeyond(partShape, part, within(name));
    const near = Object.keys(known).filter((one) => isNearName(one, name));
    const like = near.find((one) => !(one in value)) ?? near[0];
    const isMisspelled = like !== undefined && !(like in value);
    return [{ path: within(name), like: like && within(like), isMisspelled }];
  });
};

const checkRoles = ({ roles = [] }: Blueprint) => {
  roles.forEach((role, index) => {
    if (role.name.trim() === ownerRole) {
      throw invalid('The role Owner always exists and cannot be changed: leave it out of roles.');
    }
    const unknown = role.permissions.find((one) => !isPermission(one));
    if (unknown !== undefined) {
      throw invalid(
        `roles[${index}].permissions of ${quoted(role.name)} must be among ${permissions.join(', ')}; ${quoted(unknown)} is not one of them.`,
      );
    }
  });
  refuseTwins(
    'roles',
    roles.map((role) => role.name),
  );
};

const checkMembers = ({ members, roles = [] }: Blueprint) => {
  const known = new Set([ownerRole, ...roles.map((role) => role.name.trim())]);
  members.forEach(({ name, email, role }, index) => {
    if (!isEmailAddress(email)) {
      throw invalid(
        `members[${index}].email of ${quoted(name)} must be an email address, for example ada@harrow.example; ${quoted(email)} is not one.`,
      );
    }
    if (!known.has(role.trim())) {
      throw invalid(
        `members[${index}].role of ${quoted(email)} must be one of ${[...known].map(quoted).join(', ')}; ${quoted(role)} is not one of them. Correct it, or add it to roles.`,
      );
    }
  });
  refuseTwins(
    'members',
    members.map((member) => member.email.toLowerCase()),
  );
};

const checkStagesAndAreas = ({ leadStages = [], practiceAreas = [] }: Blueprint) => {
  refuseTwins('leadStages', leadStages);
  refuseTwins(
    'practiceAreas',
    practiceAreas.map((area) => area.name),
  );
  practiceAreas.forEach(({ stages = [], matterTypes = [] }, index) => {
    refuseTwins(`practiceAreas[${index}].stages`, stages);
    refuseTwins(`practiceAreas[${index}].matterTypes`, matterTypes);
  });
};

const checkCustomFields = ({ customFields = [] }: Blueprint) => {
  customFields.forEach(({ name, type, options }, index) => {
    const chooses = type === 'SELECT' || type === 'MULTI_SELECT';
    if (chooses !== (options !== undefined && options.length > 0)) {
      throw invalid(
        `customFields[${index}].options of ${quoted(name)} belongs to SELECT and MULTI_SELECT, with at least one label.`,
      );
    }
  });
  refuseTwins(
    'customFields',
    customFields.map((field) => `${field.on} ${field.name}`),
  );
};

const refuseTwins = (part: string, keys: string[]) => {
  const trimmed = keys.map((key) => key.trim());
  const twin = trimmed.findIndex((key, index) => trimmed.indexOf(key) !== index);
  const key = trimmed[twin];
  if (key === undefined) return;
  throw invalid(
    `${part}[${twin}] repeats ${quoted(key)} of ${part}[${trimmed.indexOf(key)}]. Remove one of them, or rename it.`,
  );
};

const quoted = (text: string) => JSON.stringify(text);
