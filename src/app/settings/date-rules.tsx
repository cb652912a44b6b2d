/** @jsxImportSource preact */

import { isCalendarDate, todayIn } from '../../base/calendar-date.ts';
import {
  addDateRule,
  changeDateRule,
  type DateRule,
  listDateRules,
  type RuleFields,
  readDateRule,
  reckonRules,
  removeDateRule,
} from '../../date-rules/rule.ts';
import {
  allTriggers,
  type CountedFrom,
  type Counting,
  isTriggerGone,
  triggerIn,
  triggerKey,
} from '../../date-rules/trigger.ts';
import type { Reckoned } from '../../firm/reckoning.ts';
import { allPracticeAreas } from '../../practice-areas/list.ts';
import type { Reader } from '../../record/actor.ts';
import { Check } from '../choices.tsx';
import {
  arithmetic,
  makesNames,
  passedWords,
  rollingNames,
  ruleWords,
  triggerLabel,
} from '../date-rules.ts';
import { Dialog, Opens } from '../dialog.tsx';
import { type Fields, mustHave } from '../fields.ts';
import { Choice, Day, Form, Text } from '../form.tsx';
import { useFrame } from '../frame.tsx';
import { Icon } from '../icon.tsx';
import { optionsFrom, optionsOf, withChosen } from '../list.tsx';
import { Empty, Panel } from '../page-parts.tsx';
import { saying } from '../said.ts';
import { Table } from '../table.tsx';
import { form, type Page, page, type Shown, type Visit } from '../visit.ts';
import { Removes } from './removes.tsx';
import { settingsPage } from './sections.tsx';
import {
  DirectionControl,
  SpanControls,
  spanIn,
  spanTexts,
  triggerOptions,
} from './span-fields.tsx';

const path = '/settings/date-rules';
const title = 'Date rules';

const showRules = async ({ actor, session }: Visit): Promise<Shown> => {
  const [rules, choices] = await Promise.all([listDateRules(actor), choicesFor(actor)]);
  const today = todayIn(session.timeZone);
  const reckoned = await reckonRules(
    actor,
    rules.map((rule) => ({ rule, from: today })),
  );
  const rows = rules.map((rule, at) => ({ ...rule, reckoned: reckoned[at] }));
  return settingsPage({
    title,
    intro:
      'A rule counts one date of a matter from another. The rules are your firm’s own; Matterhorn comes with none.',
    action: (
      <Opens dialog="new-rule" class="button primary">
        <Icon name="plus" />
        New rule
      </Opens>
    ),
    main: (
      <>
        <Dialog id="new-rule" title="New date rule">
          <Form action={path} save="Create rule">
            <RuleControls {...choices} />
          </Form>
        </Dialog>
        {rows.length === 0 ? (
          <Empty text="There is no date rule yet. A rule is, for example, 8 working days before the limitation date." />
        ) : (
          <Rules rows={rows} />
        )}
        <p class="muted">
          Working days leave out Saturdays, Sundays and <a href="/settings/holidays">holidays</a>.
        </p>
      </>
    ),
  });
};

const Rules = ({ rows }: { rows: (DateRule & { reckoned: Reckoned | undefined })[] }) => (
  <Table
    caption={title}
    rows={rows}
    columns={[
      {
        name: 'Rule',
        isHead: true,
        class: 'line-1',
        cell: (rule) => (
          <>
            <a class="name" href={`${path}/${rule.id}`}>
              {rule.name}
            </a>
            <div class="small muted">{ruleWords(rule)}</div>
          </>
        ),
      },
      {
        name: 'From today',
        class: 'line-2 wraps',
        cell: (rule, frame) =>
          rule.reckoned ? arithmetic(rule, rule.reckoned, frame) : beyondWords,
      },
      {
        name: 'Practice area',
        class: 'line-2 wraps',
        cell: ({ practiceArea }) => practiceArea ?? <span class="muted">Every area</span>,
      },
      { name: 'Creates', class: 'line-2', cell: ({ makes }) => makesNames[makes] },
    ]}
  />
);

const beyondWords = 'The day is beyond the years 1 to 9999.';

type Named = { id: string; name: string };

type Choices = { areas: readonly Named[]; triggers: readonly Counting[] };

/** What a rule can be for and can count from. */
const choicesFor = async (reader: Reader): Promise<Choices> => {
  const [areas, triggers] = await Promise.all([allPracticeAreas(reader), allTriggers(reader)]);
  return { areas, triggers };
};

/** The fields of a rule. */
const RuleControls = ({ areas, triggers, rule }: Choices & { rule?: DateRule }) => {
  const now = rule && textsOf(rule);
  return (
    <>
      <Text
        name="name"
        label="Name"
        hint="Also the title of the task or event."
        value={now?.name}
        required
        first={!rule}
      />
      <SpanControls now={now} />
      <div class="pair">
        <DirectionControl now={now} />
        <Choice
          name="trigger"
          label="Counted from"
          value={now?.trigger ?? 'opened'}
          options={triggerOptions(triggers, rule)}
        />
      </div>
      <Choice
        name="rolling"
        label="If the day is not a working day"
        value={now?.rolling ?? 'none'}
        options={optionsFrom(rollingNames)}
      />
      <Choice
        name="practiceAreaId"
        label="Practice area"
        value={now?.practiceAreaId}
        none="Every area"
        options={optionsOf(areas)}
      />
      <Choice
        name="makes"
        label="Creates"
        value={now?.makes ?? 'task'}
        options={optionsFrom(makesNames)}
      />
      <Check
        name="needsConfirmation"
        label="A second person confirms its dates"
        hint="The person who added a date cannot confirm it. Until somebody else confirms the date, it is marked as not confirmed, but works like any other."
        checked={rule?.needsConfirmation ?? false}
      />
    </>
  );
};

type OfRule = Visit<'/:id'>;

const showRule = async ({ actor, parameters, query, session }: OfRule): Promise<Shown> => {
  const [rule, choices] = await Promise.all([
    readDateRule(actor, parameters.id),
    choicesFor(actor),
  ]);
  const asked = query.get('from');
  const from = isCalendarDate(asked) ? asked : todayIn(session.timeZone);
  const [reckoned] = await reckonRules(actor, [{ rule, from }]);
  const at = `${path}/${rule.id}`;
  return settingsPage({
    title: rule.name,
    intro: ruleWords(rule),
    within: { path, name: title },
    main: (
      <>
        {isTriggerGone(rule) && (
          <p class="banner warn" role="note">
            <Icon name="triangle-alert" />
            The field that this rule counts from was removed. The rule gives no dates until it
            counts from another day. Dates that it has created stay.
          </p>
        )}
        <Panel id="example" title="Example">
          <div class="body stack">
            <form
              class="toolbar"
              method="get"
              action={at}
              autocomplete="off"
              novalidate
              data-script="filters"
            >
              <Day name="from" label={triggerLabel(rule)} value={from} />
              <button class="button only-plain">Calculate</button>
            </form>
            <div role="status">
              {reckoned ? <Arithmetic rule={rule} reckoned={reckoned} /> : <p>{beyondWords}</p>}
            </div>
          </div>
        </Panel>
        <Panel id="rule" title="Rule">
          <div class="body">
            <Form action={at} save="Save" within="rule">
              <RuleControls
                {...choices}
                areas={withChosen(choices.areas, areaOf(rule))}
                rule={rule}
              />
            </Form>
          </div>
        </Panel>
        <Panel id="remove" title="Delete">
          <div class="body stack">
            <p class="muted">Dates that the rule has created stay.</p>
            <div class="row">
              <Removes
                of={rule.id}
                name={rule.name}
                action={`${at}/delete`}
                verb="Delete rule"
                class="button"
              >
                Dates that the rule has created stay. Nobody can add the rule to a matter any more.
              </Removes>
            </div>
          </div>
        </Panel>
      </>
    ),
  });
};

const Arithmetic = ({ rule, reckoned }: { rule: DateRule; reckoned: Reckoned }) => (
  <>
    <p>
      <b>{arithmetic(rule, reckoned, useFrame())}</b>
    </p>
    {passedWords(reckoned) && <p class="muted">{passedWords(reckoned)}</p>}
  </>
);

const areaOf = ({ practiceAreaId, practiceArea }: DateRule): Named | null =>
  practiceAreaId === null ? null : { id: practiceAreaId, name: practiceArea ?? '' };

/** A rule's fields as a form sends them. */
const textsOf = (rule: DateRule) => ({
  name: rule.name,
  ...spanTexts(rule),
  trigger: triggerKey(rule),
  rolling: rule.rolling,
  practiceAreaId: rule.practiceAreaId ?? '',
  makes: rule.makes,
  needsConfirmation: rule.needsConfirmation ? 'on' : '',
});

/** The verb judges what is no choice. */
const ruleIn = (fields: Fields): RuleFields => {
  mustHave(fields, 'name', 'amount');
  return {
    name: fields.text('name') ?? '',
    ...spanIn(fields),
    ...(triggerIn(fields.text('trigger') ?? '') as CountedFrom),
    rolling: fields.text('rolling') as RuleFields['rolling'],
    practiceAreaId: fields.text('practiceAreaId') || null,
    makes: fields.text('makes') as RuleFields['makes'],
    needsConfirmation: fields.text('needsConfirmation') === 'on',
  };
};

const add = async ({ actor }: Visit, fields: Fields) =>
  `${path}/${await addDateRule(actor, ruleIn(fields))}`;

const change = async ({ actor, parameters: { id } }: OfRule, fields: Fields) => {
  await changeDateRule(actor, id, ruleIn(fields));
  return `${path}/${id}`;
};

const remove = async ({ actor, parameters: { id } }: OfRule) => {
  const { name } = await readDateRule(actor, id);
  await removeDateRule(actor, id);
  return saying(path, `Date rule deleted: ${name}.`);
};

const ruleNow = async (reader: Reader, { parameters }: OfRule) =>
  textsOf(await readDateRule(reader, parameters.id));

const may = 'firm:write';
const one = `${path}/:id` as const;

const rulesPage = page(path, may, showRules);
const rulePage = page(one, may, showRule);

export const dateRulePages: Page[] = [
  rulesPage,
  form(path, may, add, rulesPage, { once: true, said: 'Date rule added: {title}.' }),
  rulePage,
  form(one, may, change, rulePage, { guard: ruleNow, said: 'Date rule changed: {title}.' }),
  form(`${one}/delete`, may, remove, rulePage),
];
