/** The shape of every body, said a second time and in other words than in the source. */
import type { Kind, Values } from './firm.ts';

type Rule = (value: unknown) => boolean;

const text =
  (longest = Number.POSITIVE_INFINITY): Rule =>
  (value) =>
    typeof value === 'string' && Array.from(value).length <= longest;
const filled: Rule = (value) => text(255)(value) && String(value).trim() !== '';
const among =
  (...words: string[]): Rule =>
  (value) =>
    words.includes(value as string);
const orNull =
  (rule: Rule): Rule =>
  (value) =>
    value === null || rule(value);
const flag: Rule = (value) => typeof value === 'boolean';
const record: Rule = (value) =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
const listOf =
  (rule: Rule, max: number): Rule =>
  (value) =>
    Array.isArray(value) && value.length <= max && value.every(rule);
const holding =
  (rules: Record<string, Rule>, required: string[] = []): Rule =>
  (value) =>
    record(value) &&
    required.every((field) => (value as Values)[field] !== undefined) &&
    Object.entries(rules).every(([field, rule]) => {
      const sent = (value as Values)[field];
      return sent === undefined || rule(sent);
    });

/** The generators send days by these words alone. */
const day = among('2026-02-03', '2024-02-29', '0001-01-01', '9999-12-31');

const longest = {
  firstName: 128,
  middleName: 128,
  lastName: 128,
  nickname: 128,
  prefix: 32,
  suffix: 32,
  companyName: 255,
  tradeName: 255,
  companyType: 64,
};
const parts = (wrap: (rule: Rule) => Rule) =>
  Object.fromEntries(Object.entries(longest).map(([field, max]) => [field, wrap(text(max))]));
const addresses = (field: string) => {
  const entry = holding({ [field]: text(255), label: orNull(text(32)), isPrimary: flag }, [field]);
  return listOf((value) => text(255)(value) || entry(value), 20);
};
const type = among('PERSON', 'COMPANY');
const lists = { emails: addresses('address'), phones: addresses('number'), customFields: record };
const value = among('LOWEST', 'LOW', 'MEDIUM', 'HIGH', 'HIGHEST');
const team = holding(
  {
    memberId: text(),
    role: among('ORIGINATING_ATTORNEY', 'RESPONSIBLE_ATTORNEY', 'RESPONSIBLE_STAFF'),
    allocation: (sent) => typeof sent === 'number' && sent >= 0 && sent <= 100,
  },
  ['memberId'],
);
const matter = {
  practiceAreaId: text(),
  practiceAreaStageColumnId: text(),
  title: text(255),
  openDate: day,
  customFields: record,
};
const stage = { id: text(), name: filled };

const rules: Record<Kind, { create: Rule; update: Rule }> = {
  contacts: {
    create: holding({ type, ...parts((rule) => rule), ...lists }),
    update: holding({ type, ...parts(orNull), ...lists }),
  },
  leads: {
    create: holding({
      type,
      ...parts((rule) => rule),
      email: text(255),
      phone: text(255),
      value,
      practiceAreaId: text(),
      leadStageColumnId: text(),
      isPrivate: flag,
      customFields: record,
    }),
    update: holding({
      practiceAreaId: orNull(text()),
      leadStageColumnId: text(),
      value: orNull(value),
      isPrivate: flag,
      customFields: record,
    }),
  },
  matters: {
    create: holding(
      {
        ...matter,
        description: text(),
        closeDate: day,
        solDate: day,
        status: among('ACTIVE', 'DRAFT'),
        clientContactIds: listOf(text(), 50),
        team: listOf(team, 50),
      },
      ['practiceAreaId', 'openDate'],
    ),
    update: holding({
      ...matter,
      description: orNull(text()),
      closeDate: orNull(day),
      solDate: orNull(day),
      status: among('ACTIVE', 'DRAFT', 'ARCHIVE'),
    }),
  },
  'practice-areas': {
    create: holding({ name: filled, stages: listOf(holding({ name: filled }, ['name']), 100) }, [
      'name',
    ]),
    update: holding({ name: filled, stages: listOf(holding(stage, ['name']), 100) }),
  },
  'matter-types': {
    create: holding({ practiceAreaId: text(), name: filled }, ['practiceAreaId', 'name']),
    update: holding({ name: filled }),
  },
};

/** Whether a body has the shape that a create or an update takes, and texts that can be stored. */
export const isShapely = (kind: Kind, action: 'create' | 'update', body: Values): boolean =>
  rules[kind][action](body) && !JSON.stringify(body).includes('\\u0000');
