import { seeOther } from '../headers.ts';
import { form, type Page, page } from '../visit.ts';
import { exportIntake, showIntake } from './intake.tsx';
import { exportLimitationDates, showLimitationDates } from './limitation-dates.tsx';
import { exportMatters, showMatters } from './matters.tsx';
import { firstReport } from './parts.tsx';
import { exportSpeed, showSpeed } from './speed.tsx';
import { exportWorkload, showWorkload } from './workload.tsx';

export const reportPages: Page[] = [
  page('/reports', 'reports:read', async (visit) => seeOther(firstReport(visit))),
  page('/reports/intake', 'reports:read', showIntake),
  form('/reports/intake/export', 'data:export', exportIntake, showIntake),
  page('/reports/speed', 'reports:read', showSpeed),
  form('/reports/speed/export', 'data:export', exportSpeed, showSpeed),
  page('/reports/matters', 'reports:read', showMatters),
  form('/reports/matters/export', 'data:export', exportMatters, showMatters),
  page('/reports/limitation-dates', 'reports:read', showLimitationDates),
  form(
    '/reports/limitation-dates/export',
    'data:export',
    exportLimitationDates,
    showLimitationDates,
  ),
  page('/reports/workload', 'reports:read', showWorkload),
  form('/reports/workload/export', 'data:export', exportWorkload, showWorkload),
];
