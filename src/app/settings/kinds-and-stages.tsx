/** @jsxImportSource preact */
import { eventKindList } from '../../calendar/kinds.ts';
import { notHiredReasonList } from '../../leads/reasons.ts';
import { leadStageList } from '../../leads/stages.ts';
import { type Page, page, type Shown, type Visit } from '../visit.ts';
import { nameList, verbsOf } from './name-list.tsx';
import { settingsPage } from './sections.tsx';

const kindsPath = '/settings/event-kinds';

const kinds = nameList(
  {
    id: 'kinds',
    title: 'Kinds',
    noun: 'kind',
    intro: 'Each event can have one kind.',
    removed: 'Events keep this kind. It can no longer be chosen.',
  },
  verbsOf(eventKindList),
);

const showKinds = async ({ actor }: Visit): Promise<Shown> => {
  const all = await eventKindList.all(actor);
  return settingsPage({
    title: 'Event kinds',
    intro:
      'The kinds of event that your firm has, for example hearings or service of papers. Date rules and task lists can count from an event of a kind.',
    main: <kinds.Panel at={kindsPath} names={all} />,
  });
};

const kindsPage = page(kindsPath, 'firm:write', showKinds);

export const eventKindPages: Page[] = [kindsPage, ...kinds.forms(kindsPage)];

const stagesPath = '/settings/lead-stages';

const stages = nameList(
  {
    id: 'stages',
    title: 'Stages',
    noun: 'stage',
    intro: 'The stages of a lead, left to right on the board. A new lead starts in the first.',
    removed: 'Its column leaves the board. A stage that holds leads cannot be removed.',
  },
  verbsOf(leadStageList),
);

const reasons = nameList(
  {
    id: 'reasons',
    title: 'Reasons for not being hired',
    noun: 'reason',
    intro: 'You choose one when a lead is not hired.',
    removed: 'Leads keep this reason. It can no longer be chosen.',
  },
  verbsOf(notHiredReasonList),
);

const showLists = async ({ actor }: Visit): Promise<Shown> => {
  const [allStages, allReasons] = await Promise.all([
    leadStageList.all(actor),
    notHiredReasonList.all(actor),
  ]);
  return settingsPage({
    title: 'Lead stages and reasons',
    main: (
      <>
        <stages.Panel at={stagesPath} names={allStages} />
        <reasons.Panel at={stagesPath} names={allReasons} />
      </>
    ),
  });
};

const listsPage = page(stagesPath, 'firm:write', showLists);

export const leadStagePages: Page[] = [
  listsPage,
  ...stages.forms(listsPage),
  ...reasons.forms(listsPage),
];
