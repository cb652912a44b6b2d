/** @jsxImportSource preact */
import { eventKindList } from '../../calendar/kinds.ts';
import { type Page, page, type Shown, type Visit } from '../visit.ts';
import { nameList, verbsOf } from './name-list.tsx';
import { settingsPage } from './sections.tsx';

const path = '/settings/event-kinds';

const kinds = nameList(
  {
    id: 'kinds',
    title: 'Kinds',
    noun: 'kind',
    intro: 'An event can have one of them.',
    removed: 'Events keep this kind. It can no longer be chosen.',
  },
  verbsOf(eventKindList),
);

const showKinds = async ({ actor }: Visit): Promise<Shown> => {
  const all = await eventKindList.all(actor);
  return settingsPage({
    title: 'Event kinds',
    intro:
      'What events of your firm are, for example hearings or service of papers. Date rules and task lists can count from the event of a kind.',
    main: <kinds.Panel at={path} names={all} />,
  });
};

const kindsPage = page(path, 'firm:write', showKinds);

export const eventKindPages: Page[] = [kindsPage, ...kinds.forms(kindsPage)];
