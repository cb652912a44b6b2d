/** The date rules of the demonstration's firm: made up, as all that it has. */
import { createCustomField } from '../custom-fields/definition.ts';
import { applyRules, ruleLines } from '../date-rules/apply.ts';
import { addDateRule, type RuleFields } from '../date-rules/rule.ts';
import type { Write } from '../record/write.ts';

/** The field of matters that a rule counts from, and the practice area of that rule. */
export const servedOn = { field: 'Served on', area: 'Disputes' } as const;

const counted = { rolling: 'last', makes: 'task', needsConfirmation: false } as const;
const everyArea = { practiceAreaId: null, fieldId: null, eventKindId: null } as const;

/** Adds the firm's rules, and the field that one of them counts from. */
export const makeRules = async (w: Write, areas: Record<string, { id: string }>) => {
  const { id: fieldId } = await createCustomField(w, {
    appliesTo: 'MATTER',
    name: servedOn.field,
    type: 'DATE',
    options: [],
  });
  const practiceAreaId = areas[servedOn.area]?.id ?? null;
  const rules: RuleFields[] = [
    {
      ...counted,
      ...everyArea,
      name: 'Look through the file before the limitation date',
      trigger: 'limitation',
      amount: -6,
      unit: 'weeks',
    },
    {
      ...counted,
      ...everyArea,
      name: 'Tell the client how the matter stands',
      trigger: 'opened',
      amount: 3,
      unit: 'months',
      rolling: 'next',
    },
    {
      ...counted,
      name: 'Answer is due',
      trigger: 'field',
      fieldId,
      eventKindId: null,
      practiceAreaId,
      amount: 20,
      unit: 'workingDays',
      rolling: 'next',
      needsConfirmation: true,
    },
  ];
  for (const rule of rules) await addDateRule(w, rule);
};

/** Adds to a matter the dates that its rules count from the days that it has, as tasks of a member. */
export const addRuledDates = async (
  w: Write,
  matter: { id: string; practiceAreaId: string },
  assigneeId: string,
) => {
  const lines = await ruleLines(w, matter);
  const wanted = lines.flatMap(({ rule, reckoned }) =>
    reckoned && rule.practiceAreaId !== null ? [{ ruleId: rule.id, day: reckoned.day }] : [],
  );
  await applyRules(w, matter.id, wanted, assigneeId);
};
