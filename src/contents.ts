/** Every resource and every kind of job, each listed once: what the service is made of. */
import { contacts } from './contacts/resource.ts';
import type { JobKind } from './jobs/runner.ts';
import { leadAnnounce } from './leads/jobs.ts';
import { leads } from './leads/resource.ts';
import { practiceAreas } from './practice-areas/resource.ts';
import type { Resource } from './record/resource.ts';

export const resources: Resource[] = [contacts, leads, practiceAreas];

export const jobKinds: JobKind[] = [leadAnnounce];
