import { seeOther } from '../headers.ts';
import { form, type Page, page } from '../visit.ts';
import { exportIntake, showIntake } from './intake.tsx';
import { exportLimitationDates, showLimitationDates } from './limitation-dates.tsx';
import { exportMatters, showMatters } from './matters.tsx';
import { firstReport } from './parts.tsx';
import { exportSpeed, showSpeed } from './speed.tsx';
import { exportWorkload, showWorkload } from './workload.tsx';

/** A report is for those who may read what it counts; its file for those who may export that. */
const aboutLeads = { allOf: ['reports:read', 'leads:read'] } as const;
const aboutMatters = { allOf: ['reports:read', 'matters:read'] } as const;
const exportedLeads = { allOf: ['data:export', ...aboutLeads.allOf] } as const;
const exportedMatters = { allOf: ['data:export', ...aboutMatters.allOf] } as const;

const intakePage = page('/reports/intake', aboutLeads, showIntake);
const speedPage = page('/reports/speed', aboutLeads, showSpeed);
const mattersPage = page('/reports/matters', aboutMatters, showMatters);
const limitationDatesPage = page('/reports/limitation-dates', aboutMatters, showLimitationDates);
const workloadPage = page('/reports/workload', aboutMatters, showWorkload);

export const reportPages: Page[] = [
  page('/reports', 'reports:read', async (visit) => seeOther(firstReport(visit))),
  intakePage,
  form('/reports/intake/export', exportedLeads, exportIntake, intakePage),
  speedPage,
  form('/reports/speed/export', exportedLeads, exportSpeed, speedPage),
  mattersPage,
  form('/reports/matters/export', exportedMatters, exportMatters, mattersPage),
  limitationDatesPage,
  form(
    '/reports/limitation-dates/export',
    exportedMatters,
    exportLimitationDates,
    limitationDatesPage,
  ),
  workloadPage,
  form('/reports/workload/export', exportedMatters, exportWorkload, workloadPage),
];
