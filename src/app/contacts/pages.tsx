import type { Page } from '../visit.ts';

export const contactPages: Page[] = [];
