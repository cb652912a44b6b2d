/** @jsxImportSource preact */
import { todayIn } from '../../base/calendar-date.ts';
import { isId } from '../../base/columns.ts';
import { notFound } from '../../base/refusal.ts';
import { applyRules, type RuleLine, ruleLines, takeRuledBack } from '../../date-rules/apply.ts';
import { listMembers } from '../../firm/member.ts';
import { matterRecord } from '../../matters/record.ts';
import { Check, Checks } from '../choices.tsx';
import { arithmetic, makesNames, noTriggerWords, passedWords, sourceWords } from '../date-rules.ts';
import type { Fields } from '../fields.ts';
import { Form } from '../form.tsx';
import { useFrame } from '../frame.tsx';
import { counted } from '../numbers.ts';
import { Crumbs, Empty, Title } from '../page-parts.tsx';
import { controlsOf } from '../records/field.tsx';
import { saying } from '../said.ts';
import { taskFields } from '../tasks/fields.ts';
import { peopleFor } from '../tasks/pages.tsx';
import { form, type Page, page, type Shown, type Undo, type Visit } from '../visit.ts';

type MatterVisit = Visit<'/matters/:id'>;

const title = 'Add dates by rule';

const showRules = async ({ actor, parameters, session, may }: MatterVisit): Promise<Shown> => {
  const [matter, members] = await Promise.all([
    matterRecord(actor, parameters.id),
    listMembers(actor),
  ]);
  const lines = await ruleLines(actor, matter);
  const path = `/matters/${matter.id}`;
  const today = todayIn(session.timeZone);
  const makesTasks = lines.some((line) => isOffered(line) && line.rule.makes === 'task');
  return {
    title,
    place: '/matters',
    work: 'form',
    follows: [
      'matter',
      'date_rule',
      'task',
      'calendar_event',
      'holiday',
      'custom_field',
      'event_kind',
    ],
    main: (
      <div class="prose">
        <Crumbs path="/matters" name="Matters" here={matter.publicId} to={path} />
        <Title title={title} facts={<span class="muted">{matter.title}</span>} />
        {matter.status === 'ARCHIVE' ? (
          <Empty text="The matter is archived. Make it active again to add dates." />
        ) : lines.length === 0 ? (
          <Empty text="The firm has no date rule for this practice area.">
            {may('firm:write') && <a href="/settings/date-rules">Date rules</a>}
          </Empty>
        ) : (
          <Form
            action={`${path}/rules`}
            save={lines.some(isOffered) ? 'Add dates' : undefined}
            cancel={path}
          >
            <Checks name="rule" label="Dates">
              {lines.filter(isOffered).map((line) => (
                <Offered line={line} today={today} />
              ))}
            </Checks>
            {lines.some((line) => isOffered(line) && line.rule.makes === 'event') && (
              <p class="muted">An event invites the responsible attorneys of the matter.</p>
            )}
            {makesTasks &&
              controlsOf({ assignee: taskFields.assignee }, peopleFor(members, session), {
                assigneeId: session.member.id,
              })}
            <Others lines={lines.filter((line) => !isOffered(line))} />
          </Form>
        )}
      </div>
    ),
  };
};

const isOffered = ({ reckoned, isMade, isAsked }: RuleLine) =>
  reckoned !== undefined && !isMade && !isAsked;

/** One date that can be added. What is past is not ticked. */
const Offered = ({
  line: { rule, reckoned, source },
  today,
}: {
  line: RuleLine;
  today: string;
}) => {
  const frame = useFrame();
  if (!reckoned) return null;
  const isPast = reckoned.day < today;
  const words = [
    `${arithmetic(rule, reckoned, frame)}.`,
    passedWords(reckoned),
    sourceWords(source) && `Counted from ${sourceWords(source)}.`,
    `${makesNames[rule.makes]}.`,
    isPast ? 'This day is past.' : '',
  ];
  return (
    <Check
      name="rule"
      value={`${rule.id}:${reckoned.day}`}
      label={rule.name}
      hint={words.filter(Boolean).join(' ')}
      checked={!isPast}
    />
  );
};

/** The rules that give nothing now, and why. */
const Others = ({ lines }: { lines: readonly RuleLine[] }) =>
  lines.length === 0 ? null : (
    <ul class="plain muted">
      {lines.map(({ rule, from, isMade, isAsked }) => (
        <li>
          {rule.name}:{' '}
          {isMade
            ? 'added already.'
            : isAsked
              ? 'added already. Say on the matter’s page whether the date moves.'
              : from === null
                ? `${noTriggerWords(rule)}.`
                : 'the day is beyond the years 1 to 9999.'}
        </li>
      ))}
    </ul>
  );

const apply = async ({ actor, parameters: { id } }: MatterVisit, fields: Fields) => {
  const wanted = fields.all('rule').map((text) => {
    const [ruleId = '', day = ''] = text.split(':');
    return { ruleId, day };
  });
  const made = await applyRules(actor, id, wanted, fields.text('assigneeId') || null);
  const undo: Undo = {
    action: `/matters/${id}/rules/undo`,
    fields: made.map((one) => ['id', one]),
  };
  return saying(`/matters/${id}`, `Added ${counted(made.length, 'date')} to {title}.`, undo);
};

const undo = async ({ actor, parameters: { id } }: MatterVisit, fields: Fields) => {
  const ids = fields.all('id');
  if (!ids.every(isId)) throw notFound();
  await takeRuledBack(actor, id, ids);
  return saying(`/matters/${id}`, `Removed: ${counted(ids.length, 'date')} of {title}.`);
};

const admission = { allOf: ['matters:read', 'matters:write'] } as const;
const rulesPage = page('/matters/:id/rules', admission, showRules);

export const matterRulePages: Page[] = [
  rulesPage,
  form('/matters/:id/rules', admission, apply, rulesPage, { once: true }),
  form('/matters/:id/rules/undo', admission, undo, rulesPage),
];
