/** Permissions that only the application uses. A role may hold them; a key never has them. */
export const applicationPermissions = [
  'firm:write',
  'members:write',
  'keys:write',
  'audit:read',
  'reports:read',
  'data:import',
  'data:export',
] as const;

/**
 * What a role may hold, and a key may be made for: `leads:read`, `leads:write`. Write does not
 * include read. `contents.ts` lists all of them; they follow from the resources.
 */
export type Permission = `${string}:${'read' | 'write' | 'import' | 'export'}`;

/** Whether only the application uses it, so that no key can have it as a scope. */
export const isForApplication = (permission: string) =>
  (applicationPermissions as readonly string[]).includes(permission);

/**
 * Scopes that no role holds as a permission of their own, with the permissions of which a key's member
 * needs one to use them. Where there are none, any member's key may have the scope.
 */
const borrowed: Readonly<Record<string, readonly Permission[]>> = {
  'members:read': [],
  'events:read': [],
  'webhooks:read': ['keys:write'],
  'webhooks:write': ['keys:write'],
  'tasks:read': ['leads:read', 'matters:read'],
  'tasks:write': ['leads:write', 'matters:write'],
  'calendar-events:read': ['leads:read', 'matters:read'],
  'calendar-events:write': ['leads:write', 'matters:write'],
  'notes:read': ['leads:read', 'matters:read'],
  'notes:write': ['leads:write', 'matters:write'],
};

/** Whether a role may hold what this scope allows, as a permission of the same name. */
export const isHeldByRoles = (scope: string) => !Object.hasOwn(borrowed, scope);

/** The permissions of which a key's member needs one to use a scope; none if any member may. */
export const neededFor = (scope: Permission): readonly Permission[] =>
  isHeldByRoles(scope) ? [scope] : (borrowed[scope] ?? []);

/** Whether somebody who may do this may use a scope. */
export const mayUse = (scope: Permission, may: (permission: Permission) => boolean) => {
  const needed = neededFor(scope);
  return needed.length === 0 || needed.some(may);
};
