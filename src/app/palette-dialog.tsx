/** @jsxImportSource preact */
import { Island } from './island.tsx';
import { remembered } from './remembered.ts';
import type { PaletteProps } from './search/found.ts';
import { Palette } from './search/palette.tsx';

const places = [
  { path: '/', name: 'Home' },
  { path: '/inbox', name: 'Inbox' },
  { path: '/leads', name: 'Leads' },
  { path: '/matters', name: 'Matters' },
  { path: '/contacts', name: 'Contacts' },
  { path: '/conflicts', name: 'Conflicts' },
  { path: '/calendar', name: 'Calendar' },
  { path: '/tasks', name: 'Tasks' },
  { path: '/reports/intake', name: 'Report: intake' },
  { path: '/reports/speed', name: 'Report: speed' },
  { path: '/reports/matters', name: 'Report: matters' },
  { path: '/reports/limitation-dates', name: 'Report: limitation dates' },
  { path: '/reports/workload', name: 'Report: workload' },
  { path: '/settings/me', name: 'Settings: my settings' },
  { path: '/settings/firm', name: 'Settings: firm' },
  { path: '/settings/numbering', name: 'Settings: numbering' },
  { path: '/settings/lead-stages', name: 'Settings: lead stages' },
  { path: '/settings/practice-areas', name: 'Settings: practice areas' },
  { path: '/settings/fields', name: 'Settings: custom fields' },
  { path: '/settings/members', name: 'Settings: members' },
  { path: '/settings/roles', name: 'Settings: roles' },
  { path: '/settings/keys', name: 'Settings: API keys' },
  { path: '/settings/audit', name: 'Settings: audit log' },
  { path: '/settings/imports', name: 'Settings: imports' },
  { path: '/settings/deleted', name: 'Settings: deleted records' },
  { path: '/settings/system', name: 'Settings: system' },
  { path: '/settings/forms', name: 'Settings: forms' },
  { path: '/settings/webhooks', name: 'Settings: webhooks' },
];

const commands = [
  { path: '/leads/new', name: 'New lead' },
  { path: '/matters/new', name: 'New matter' },
  { path: '/contacts/new', name: 'New contact' },
  { path: '/tasks/new', name: 'New task' },
  { path: '/calendar/new', name: 'New event' },
  { path: '/conflicts/new', name: 'New conflict check' },
];

/** What the palette offers to a member: only pages and commands of their role. */
export const paletteOf = (member: string, admits: (path: string) => boolean): PaletteProps => {
  const mine = ({ path }: { path: string }) => admits(path);
  return { member, places: places.filter(mine), commands: commands.filter(mine) };
};

/** The palette that Ctrl+K opens. */
export const PaletteDialog = remembered((props: PaletteProps) => (
  <dialog class="dialog palette" id="palette" aria-label="Search">
    <Island name="palette" of={Palette} props={props} />
  </dialog>
));
