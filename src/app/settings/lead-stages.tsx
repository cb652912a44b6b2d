/** @jsxImportSource preact */
import { notHiredReasonList } from '../../leads/reasons.ts';
import { leadStageList } from '../../leads/stages.ts';
import { type Page, page, type Shown, type Visit } from '../visit.ts';
import { nameList, verbsOf } from './name-list.tsx';
import { settingsPage } from './sections.tsx';

const path = '/settings/lead-stages';

const stages = nameList(
  {
    id: 'stages',
    title: 'Stages',
    noun: 'stage',
    intro: 'The stages of a lead, left to right on the board. A new lead starts in the first.',
    removed: 'Its column leaves the board. This is refused while it holds leads.',
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
        <stages.Panel at={path} names={allStages} />
        <reasons.Panel at={path} names={allReasons} />
      </>
    ),
  });
};

const listsPage = page(path, 'firm:write', showLists);

export const leadStagePages: Page[] = [
  listsPage,
  ...stages.forms(listsPage),
  ...reasons.forms(listsPage),
];
