import type { IconName } from './icon.tsx';
import { reports } from './reports/pages.ts';

/** A page that can be gone to. It is shown to those who may see it. */
type Place = {
  path: string;
  name: string;
  /** Other words by which the palette finds it. */
  also?: string;
};

/** A place of the navigation. */
export type MainPlace = Place & {
  icon: IconName;
  /** What is made there, at the address with `/new`. */
  makes?: string;
  /** It stands below the others. */
  isApart?: boolean;
  /** A phone's navigation has room for it. */
  isDocked?: boolean;
};

/** The navigation, in order. "New" and the palette follow from it. */
export const mainPlaces: readonly MainPlace[] = [
  { path: '/', name: 'Home', icon: 'house', isDocked: true },
  { path: '/leads', name: 'Leads', icon: 'funnel', makes: 'Lead', isDocked: true },
  { path: '/matters', name: 'Matters', icon: 'briefcase', makes: 'Matter', isDocked: true },
  { path: '/contacts', name: 'Contacts', icon: 'contact', makes: 'Contact' },
  { path: '/calendar', name: 'Calendar', icon: 'calendar', makes: 'Event' },
  { path: '/tasks', name: 'Tasks', icon: 'list-checks', makes: 'Task' },
  { path: '/reports', name: 'Reports', icon: 'chart-column' },
  { path: '/settings', name: 'Settings', icon: 'settings', isApart: true },
];

/** The pages of the settings in groups, in order. The palette has them too. */
export const settingsGroups: readonly { name: string; sections: readonly Place[] }[] = [
  { name: 'You', sections: [{ path: '/settings/me', name: 'My settings' }] },
  {
    name: 'Firm',
    sections: [
      { path: '/settings/firm', name: 'Firm' },
      { path: '/settings/numbering', name: 'Numbering' },
    ],
  },
  {
    name: 'Dates',
    sections: [
      { path: '/settings/date-rules', name: 'Date rules' },
      { path: '/settings/event-kinds', name: 'Event kinds' },
      { path: '/settings/task-lists', name: 'Task lists' },
      { path: '/settings/holidays', name: 'Holidays' },
      { path: '/settings/reminders', name: 'Reminders' },
    ],
  },
  {
    name: 'People',
    sections: [
      { path: '/settings/members', name: 'Members' },
      { path: '/settings/roles', name: 'Roles' },
      { path: '/settings/keys', name: 'API keys' },
      { path: '/settings/webhooks', name: 'Webhooks' },
    ],
  },
  {
    name: 'Intake and matters',
    sections: [
      { path: '/settings/lead-stages', name: 'Lead stages and reasons' },
      { path: '/settings/practice-areas', name: 'Practice areas' },
      { path: '/settings/fields', name: 'Custom fields' },
    ],
  },
  {
    name: 'Records',
    sections: [
      { path: '/settings/imports', name: 'Imports' },
      { path: '/settings/deleted', name: 'Deleted records' },
    ],
  },
  {
    name: 'System',
    sections: [
      { path: '/settings/audit', name: 'Audit log' },
      { path: '/settings/system', name: 'Server' },
      { path: '/settings/mail', name: 'Mail' },
    ],
  },
];

/** Parts of "My settings" that people look for by name. */
const partsOfMine: readonly Place[] = [
  { path: '/settings/me#formats', name: 'Dates and times', also: 'clock, first day of the week' },
  { path: '/settings/me#notifications', name: 'Notifications', also: 'profile' },
  { path: '/settings/me#absence', name: 'Absence and deputy', also: 'away, holiday, vacation' },
  { path: '/settings/me#password', name: 'Password', also: 'authenticator, passkey' },
];

const leadTo = ({ path }: Place) => path !== '/reports' && path !== '/settings';

/** The pages that the palette offers. Reports and settings are there one by one. */
export const palettePlaces: readonly Place[] = [
  ...mainPlaces.filter(leadTo).map(({ path, name }) => ({ path, name })),
  { path: '/inbox', name: 'Inbox' },
  { path: '/calendar/control-sheet', name: 'Control sheet' },
  ...reports.map(({ path, name }) => ({ path, name: `Report: ${name}` })),
  ...[...settingsGroups.flatMap(({ sections }) => sections), ...partsOfMine].map((one) => ({
    ...one,
    name: `Settings: ${one.name}`,
  })),
];

/** A kind of record that can be created from every page. */
export type RecordMade = Place & {
  icon: IconName;
  /** It belongs to no place of the navigation: the palette takes its icon from the menu. */
  isOfNoPlace?: true;
};

/** What "New" offers, in the order of the navigation, and the palette as commands. */
export const recordsMade: readonly RecordMade[] = [
  ...mainPlaces.flatMap(({ path, makes, icon }) =>
    makes ? [{ path: `${path}/new`, name: makes, icon }] : [],
  ),
  { path: '/calls/new', name: 'Call note', icon: 'phone', isOfNoPlace: true },
];
