import type { Page } from '../visit.ts';

export const searchPages: Page[] = [];
