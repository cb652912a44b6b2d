/** Every resource and every kind of job, each listed once: what the service is made of. */

import { auditSeal } from './audit/seal.ts';
import { closeOutEvents } from './calendar/jobs.ts';
import { contacts } from './contacts/resource.ts';
import { deadLetterPruning } from './jobs/dead-letters.ts';
import type { JobKind } from './jobs/runner.ts';
import { leadAnnounce } from './leads/jobs.ts';
import { leads } from './leads/resource.ts';
import { matterTypes } from './matter-types/resource.ts';
import { matterTell } from './matters/jobs.ts';
import { matters } from './matters/resource.ts';
import { notificationPruning } from './notifications/pruning.ts';
import { practiceAreas } from './practice-areas/resource.ts';
import { answerPruning } from './record/pruning.ts';
import type { Resource } from './record/resource.ts';
import { closeOutTasks } from './tasks/jobs.ts';

export const resources: Resource[] = [contacts, matters, leads, practiceAreas, matterTypes];

export const jobKinds: JobKind[] = [
  leadAnnounce,
  matterTell,
  closeOutEvents,
  closeOutTasks,
  auditSeal,
  answerPruning,
  notificationPruning,
  deadLetterPruning,
];
