import { seeOther } from '../headers.ts';
import { form, type Page, page } from '../visit.ts';
import { exportIntake, showIntake } from './intake.tsx';
import { exportLimitationDates, showLimitationDates } from './limitation-dates.tsx';
import { exportMatters, showMatters } from './matters.tsx';
import { firstReport } from './parts.tsx';
import { exportSpeed, showSpeed } from './speed.tsx';
import { exportWorkload, showWorkload } from './workload.tsx';

const intakePage = page('/reports/intake', 'reports:read', showIntake);
const speedPage = page('/reports/speed', 'reports:read', showSpeed);
const mattersPage = page('/reports/matters', 'reports:read', showMatters);
const limitationDatesPage = page('/reports/limitation-dates', 'reports:read', showLimitationDates);
const workloadPage = page('/reports/workload', 'reports:read', showWorkload);

export const reportPages: Page[] = [
  page('/reports', 'reports:read', async (visit) => seeOther(firstReport(visit))),
  intakePage,
  form('/reports/intake/export', 'data:export', exportIntake, intakePage),
  speedPage,
  form('/reports/speed/export', 'data:export', exportSpeed, speedPage),
  mattersPage,
  form('/reports/matters/export', 'data:export', exportMatters, mattersPage),
  limitationDatesPage,
  form(
    '/reports/limitation-dates/export',
    'data:export',
    exportLimitationDates,
    limitationDatesPage,
  ),
  workloadPage,
  form('/reports/workload/export', 'data:export', exportWorkload, workloadPage),
];
