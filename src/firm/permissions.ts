/** The resources that scopes and permissions are named after (public-api.md, Endpoints). */
export const resourceNames = [
  'contacts',
  'matters',
  'leads',
  'practice-areas',
  'matter-types',
] as const;

/**
 * Every permission a role can hold and every scope a key can have, in the same words:
 * `<resource>:read`, `<resource>:write`, and `custom-fields:read`. Write does not include read.
 */
export const permissions = [
  ...resourceNames.flatMap((name) => [`${name}:read`, `${name}:write`] as const),
  'custom-fields:read',
] as const;

export type Permission = (typeof permissions)[number];

export const isPermission = (text: string): text is Permission =>
  (permissions as readonly string[]).includes(text);
