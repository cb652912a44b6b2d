import { intake } from './intake.tsx';
import { limitationDates } from './limitation-dates.ts';
import { matters } from './matters.tsx';
import { reportPagesOf } from './report.tsx';
import { speed } from './speed.ts';
import { workload } from './workload.ts';

/** The reports, in the order of their tabs. */
export const reports = [intake, speed, matters, limitationDates, workload];

export const reportPages = reportPagesOf(reports);
