/** @jsxImportSource preact */
import { form, type Page, page } from '../visit.ts';
import { showBoard } from './board.tsx';
import { changeLeads } from './changes.ts';

export const leadPages: Page[] = [
  page('/leads', 'leads:read', showBoard),
  form('/leads', 'leads:write', changeLeads, showBoard),
];
