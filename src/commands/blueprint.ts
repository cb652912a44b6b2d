import type { TSchema } from '@sinclair/typebox';
import { Value } from '@sinclair/typebox/value';
import { t } from 'elysia';
import { explain } from '../base/explain.ts';
import { invalid } from '../base/refusal.ts';
import { bodyOf, nonEmptyText, oneOf } from '../base/shapes.ts';
import { distanceBetween, mostTypos } from '../base/spelling.ts';
import { customFieldTypes } from '../custom-fields/table.ts';
import { isEmailAddress, ownerRole } from '../firm/member.ts';
import { isPermission, permissions } from '../firm/permissions.ts';
import { limits as areaLimits } from '../practice-areas/wire.ts';
import { checkNumberFormat } from '../record/numbering.ts';
import { parseBlueprint } from './blueprint-text.ts';

const name = nonEmptyText(areaLimits.name);
const names = t.Array(name, { maxItems: 1_000 });

const blueprintShape = bodyOf('Blueprint', {
  name,
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
      bodyOf('PracticeArea', { name, stages: t.Optional(names), matterTypes: t.Optional(names) }),
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
});

/** How a firm works, in one document (commands.md, Blueprint). */
export type Blueprint = typeof blueprintShape.static;

/** Reads a blueprint in JSON or YAML. Throws `Refusal` saying which part is wrong and what it takes. */
export const readBlueprint = (text: string): Blueprint => {
  const document = parseBlueprint(text);
  const issue = Value.Errors(blueprintShape, document).First();
  if (issue) {
    // What is missing may be there under a misspelled name.
    const meant = issue.path
      .slice(1)
      .replaceAll(/\/(\d+)/g, '[$1]')
      .replaceAll('/', '.');
    const typo = unknownParts(document).find(({ like }) => like !== undefined && like === meant);
    const what = typo ? sentenceOnPart(typo) : explain(issue, 'it');
    throw invalid(`The blueprint is wrong: ${what} Compare it with \`matterhorn firm example\`.`);
  }
  const blueprint = document as Blueprint;
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

/** A part of a document that a blueprint does not have, and the one it was likely meant to be. */
type UnknownPart = { path: string; like: string | undefined };

/** Parts that a blueprint does not have, in words, so that a typo is not taken for done. */
export const unknownPartsOf = (blueprint: Blueprint): string[] =>
  unknownParts(blueprint).map((part) => `${sentenceOnPart(part)} It was ignored.`);

const sentenceOnPart = ({ path, like }: UnknownPart) =>
  `${JSON.stringify(path)} is no part of a blueprint${like ? `; did you mean \`${like}\`?` : '.'}`;

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
    const like = Object.keys(known).find((one) => isNear(one, name));
    return [{ path: within(name), like: like && within(like) }];
  });
};

/** Whether one is the other but for case, punctuation and a small typo. */
const isNear = (one: string, another: string) => {
  const [letters, others] = [one, another].map((name) =>
    name.toLowerCase().replaceAll(/[^a-z]/g, ''),
  ) as [string, string];
  const most = mostTypos(letters);
  return distanceBetween(letters, others, most) <= most;
};

const checkRoles = ({ roles = [] }: Blueprint) => {
  roles.forEach((role, index) => {
    if (role.name.trim() === ownerRole) {
      throw invalid('The role Owner always exists and cannot be changed: leave it out of roles.');
    }
    if (!role.permissions.every(isPermission)) {
      throw invalid(`roles[${index}].permissions must be among ${permissions.join(', ')}.`);
    }
  });
  refuseTwins(
    'roles',
    roles.map((role) => role.name),
  );
};

const checkMembers = ({ members, roles = [] }: Blueprint) => {
  const known = new Set([ownerRole, ...roles.map((role) => role.name.trim())]);
  members.forEach((member, index) => {
    if (!isEmailAddress(member.email)) {
      throw invalid(`members[${index}].email must be an email address.`);
    }
    if (!known.has(member.role.trim())) {
      throw invalid(`members[${index}].role must be Owner or the name of one of the roles.`);
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
  customFields.forEach(({ type, options }, index) => {
    const chooses = type === 'SELECT' || type === 'MULTI_SELECT';
    if (chooses !== (options !== undefined && options.length > 0)) {
      throw invalid(
        `customFields[${index}].options belongs to SELECT and MULTI_SELECT, with at least one label.`,
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
  if (twin >= 0) throw invalid(`${part}[${twin}] repeats an earlier one.`);
};
