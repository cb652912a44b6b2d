/**
 * Every resource and every kind of job, each listed once. Scopes and permissions follow from them.
 */

import { notes } from './about/resource.ts';
import { auditSeal } from './audit/seal.ts';
import type { InstallationKey } from './base/installation-key.ts';
import { bulkPruning, bulkUndo, bulkWork } from './bulk/jobs.ts';
import { closeOutEvents, eventTellOfSeveral, seriesMaking } from './calendar/jobs.ts';
import { calendarEvents } from './calendar/resource.ts';
import type { Settings } from './config.ts';
import { contacts } from './contacts/resource.ts';
import { openTypes } from './events/interest.ts';
import { holidayGuard } from './firm/holidays/days.ts';
import { applicationPermissions, isHeldByRoles, type Permission } from './firm/permissions.ts';
import { importPruning, importRows, undoRows } from './imports/jobs.ts';
import { deadLetterPruning } from './jobs/dead-letters.ts';
import type { JobKind } from './jobs/kind.ts';
import { leadAnnounce, leadTellAssigned, leadTellDue, leadTellOfSeveral } from './leads/jobs.ts';
import { leads } from './leads/resource.ts';
import { limitationDay, limitationGuard, limitationLook } from './limitation/jobs.ts';
import { mailGuard } from './mail/guard.ts';
import { mailPruning } from './mail/queue.ts';
import { matterTypes } from './matter-types/resource.ts';
import { matterTell, matterTellAdded, matterTellOfSeveral } from './matters/jobs.ts';
import { matters } from './matters/resource.ts';
import { notificationPruning } from './notifications/pruning.ts';
import { warnMember } from './notifications/warned.ts';
import { practiceAreas } from './practice-areas/resource.ts';
import { answerPruning } from './record/pruning.ts';
import { findEarlierTexts } from './search/jobs.ts';
import { signInPruning } from './sign-in/pruning.ts';
import { closeOutTasks } from './tasks/jobs.ts';
import { tasks } from './tasks/resource.ts';
import { deliveryPruning, webhookLook, webhookSend } from './webhooks/jobs.ts';
import type { Sender } from './webhooks/sender.ts';

export const resources = [
  contacts,
  matters,
  leads,
  practiceAreas,
  matterTypes,
  tasks,
  calendarEvents,
  notes,
] as const;

/** Every type of event that programs are told of. */
export const eventTypes = openTypes(resources);

/** The resources' names: the first halves of their scopes. */
export type ResourceName = (typeof resources)[number]['name'];

/** Every scope a key can have: `leads:read`, `leads:write`. Write does not include read. */
export const scopes = [
  ...resources.flatMap(({ name }) => [`${name}:read`, `${name}:write`] as const),
  'custom-fields:read',
  'members:read',
  'events:read',
  'webhooks:read',
  'webhooks:write',
] as const;

export type Scope = (typeof scopes)[number];

/** Every permission a role can hold: scopes, and those that only the application uses. */
export const permissions: readonly Permission[] = [
  ...scopes.filter(isHeldByRoles),
  ...applicationPermissions,
];

export const isScope = (text: string): text is Scope =>
  (scopes as readonly string[]).includes(text);

export const isPermission = (text: string): text is Permission =>
  (permissions as readonly string[]).includes(text);

/**
 * Every kind of job, but that of the post (`mail/post.ts`). The audit log is signed if the installation has a key, and
 * webhooks are sent if there is a sender.
 */
export const jobKinds = (
  { mail }: Pick<Settings, 'mail'>,
  key?: InstallationKey,
  sender?: Sender,
): JobKind[] => [
  leadAnnounce,
  leadTellAssigned,
  leadTellOfSeveral,
  leadTellDue,
  matterTell,
  matterTellAdded,
  matterTellOfSeveral,
  closeOutEvents,
  closeOutTasks,
  eventTellOfSeveral,
  seriesMaking,
  holidayGuard,
  limitationGuard,
  limitationDay,
  limitationLook,
  warnMember,
  mailGuard(mail !== undefined),
  findEarlierTexts,
  importRows,
  undoRows,
  bulkWork,
  bulkUndo,
  auditSeal(key),
  answerPruning,
  notificationPruning,
  mailPruning,
  importPruning,
  bulkPruning,
  deadLetterPruning,
  signInPruning,
  webhookSend(sender),
  webhookLook,
  deliveryPruning,
];
