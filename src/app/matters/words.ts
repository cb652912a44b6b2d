import type { matterStatuses, teamRoles } from '../../matters/table.ts';

/** What a member does in a matter, as people say it. */
export const roleNames: Record<(typeof teamRoles)[number], string> = {
  ORIGINATING_ATTORNEY: 'Originating attorney',
  RESPONSIBLE_ATTORNEY: 'Responsible attorney',
  RESPONSIBLE_STAFF: 'Responsible staff',
};

export const statusNames: Record<(typeof matterStatuses)[number], string> = {
  ACTIVE: 'Active',
  DRAFT: 'Draft',
  ARCHIVE: 'Archived',
};
