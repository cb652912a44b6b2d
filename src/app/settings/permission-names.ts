import { permissions } from '../../contents.ts';
import type { Permission } from '../../firm/permissions.ts';

const names: Record<string, string> = {
  'contacts:read': 'Read contacts',
  'contacts:write': 'Change contacts',
  'leads:read': 'Read leads',
  'leads:write': 'Change leads, hire',
  'matters:read': 'Read matters',
  'matters:write': 'Change matters, tasks and events',
  'practice-areas:read': 'Read practice areas',
  'practice-areas:write': 'Change practice areas',
  'matter-types:read': 'Read matter types',
  'matter-types:write': 'Change matter types',
  'custom-fields:read': 'Read custom fields',
  'tasks:read': 'Read tasks',
  'tasks:write': 'Change tasks',
  'calendar-events:read': 'Read calendar events',
  'calendar-events:write': 'Change calendar events',
  'notes:read': 'Read notes',
  'notes:write': 'Change notes',
  'members:read': 'Read members',
  'events:read': 'Receive events',
  'webhooks:read': 'Read webhooks',
  'webhooks:write': 'Change webhooks',
  'firm:write': 'Firm, numbering, stages, fields',
  'members:write': 'Members and roles',
  'keys:write': 'Manage own keys',
  'audit:read': 'Read the audit log',
  'reports:read': 'Read reports',
  'data:import': 'Import',
  'data:export': 'Export',
};

export const permissionName = (permission: string): string => names[permission] ?? permission;

const reach: Record<string, string> = {
  'audit:read':
    'Shows what was written in every record, also to a role that may not read those records.',
  'data:import':
    'Shows the rows of everybody’s imports, with names and addresses, also without “Read contacts”.',
};

/** What a permission shows beyond its name: other people's data. */
export const permissionReach = (permission: string): string | undefined => reach[permission];

const groupOf = (permission: string) => {
  const [kind = ''] = permission.split(':');
  if (kind === 'contacts' || kind === 'leads') return 'Contacts and leads';
  if (kind === 'matters') return 'Matters';
  return kind.includes('-') ? 'Areas, types and fields' : 'Firm';
};

/** Every permission of a role, in groups. */
export const permissionGroups: readonly { name: string; permissions: readonly Permission[] }[] = [
  ...Map.groupBy(
    [...permissions].sort((a, b) => rank(a) - rank(b)),
    groupOf,
  ),
].map(([name, members]) => ({ name, permissions: members }));

function rank(permission: string) {
  const at = Object.keys(names).indexOf(permission);
  return at < 0 ? permissions.length : at;
}
