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
