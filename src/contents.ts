/** Every resource and every kind of job, each listed once: what the service is made of. */
import { contacts } from './contacts/resource.ts';
import type { JobKind } from './jobs/runner.ts';
import { leadAnnounce } from './leads/jobs.ts';
import { leads } from './leads/resource.ts';
import { matterTypes } from './matter-types/resource.ts';
import { matters } from './matters/resource.ts';
import { practiceAreas } from './practice-areas/resource.ts';
import type { Resource } from './record/resource.ts';

export const resources: Resource[] = [contacts, matters, leads, practiceAreas, matterTypes];

export const jobKinds: JobKind[] = [leadAnnounce];
